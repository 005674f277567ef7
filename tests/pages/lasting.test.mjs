// What stays: drafts over a reload and a crash, outcomes for good and the same on every page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { desktop, phone } from '../support/browser.mjs';
import { cardAbout, choose, ended, option, otherField, press, typeOther } from '../support/cards.mjs';
import { go } from '../support/places.mjs';
import { until } from '../support/processes.mjs';
import { DEPLOY } from '../support/questions.mjs';
import { Stage } from '../support/stage.mjs';

let stage;

before(async () => { stage = await Stage.set(); });
after(() => stage.strike());

test('two pages show one outcome, and go on showing it after a reload and a crash of the app', async () => {
  const id = await stage.ask([DEPLOY]);
  let pages = [await stage.page(phone), await stage.page(desktop)];
  await go(pages[0], /Other questions/);
  await choose(cardAbout(pages[0], DEPLOY.question), 'Staging');
  await until(() => option(cardAbout(pages[1], DEPLOY.question), 'Staging').isChecked(), { what: 'the choice on the other page' });
  await press(cardAbout(pages[0], DEPLOY.question), 'Send');
  assert.deepEqual(await stage.answers(id), { deploy_target: ['Staging (Recommended)'] });

  const outcome = async () => Promise.all(pages.map(async page => {
    const summary = cardAbout(page, DEPLOY.question);
    await ended(summary, 'Staging', /^You/);
    return summary.getByText(/^You/).innerText();
  }));
  const [first, second] = await outcome();
  assert.equal(first, second);
  await Promise.all(pages.map(page => page.reload()));
  assert.deepEqual(await outcome(), [first, first]);
  await stage.restart();
  pages = [await stage.page(phone), await stage.page(desktop)];
  assert.deepEqual(await outcome(), [first, first]);
});

test('a draft outlives a reload and a crash of the app', async () => {
  const question = 'Where should the draft go?';
  await stage.ask([{ ...DEPLOY, question }]);
  let page = await stage.page();
  await typeOther(cardAbout(page, question), question, 'half a thou');
  const drafted = page => until(async () => await otherField(cardAbout(page, question), question).inputValue() === 'half a thou', { what: 'the draft' });
  // Another page shows it: so it is kept, and no letter is still on its way.
  await drafted(await stage.page(desktop));
  await page.reload();
  await drafted(page);
  await stage.restart();
  page = await stage.page();
  await drafted(page);
});
