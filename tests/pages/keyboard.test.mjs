// A card answered without a pointer.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { desktop } from '../support/browser.mjs';
import { cardAbout, option, otherField, ready } from '../support/cards.mjs';
import { until } from '../support/processes.mjs';
import { DEPLOY, THREE } from '../support/questions.mjs';
import { Stage } from '../support/stage.mjs';

let stage, page;

before(async () => { stage = await Stage.set(); });
after(() => stage.strike());
beforeEach(async () => { page = await stage.page(desktop); });
afterEach(() => stage.clear());

/** Tabs until the focus is in `locator`. */
async function tabInto(locator) {
  await until(async () => {
    if (await locator.evaluate(element => element.contains(document.activeElement))) return true;
    await page.keyboard.press('Tab');
    return false;
  }, { what: 'the focus in the card', every: 0 });
}

const chosen = (card, label) => until(() => option(card, label).isChecked(), { what: `'${label}' chosen` });

test('digits choose, O goes to Other, Ctrl+Enter sends; digits in the text are text', async () => {
  const id = await stage.ask(THREE);
  const card = cardAbout(page, 'Which database?');
  await card.waitFor();
  await tabInto(card.getByRole('radiogroup', { name: 'Which database?' }));
  await page.keyboard.press('2');
  await chosen(card, 'Postgres');

  await tabInto(card.getByRole('group', { name: 'Which features?' }));
  await page.keyboard.press('3');
  await page.keyboard.press('1');
  await chosen(card, 'Export, CSV');
  await chosen(card, 'Login');

  await tabInto(card.getByRole('radiogroup', { name: 'What is it called?' }));
  await page.keyboard.press('o');
  await page.keyboard.type('2 much');
  assert.equal(await otherField(card, 'What is it called?').inputValue(), '2 much');
  await ready(card);
  await page.keyboard.press('Control+Enter');
  assert.deepEqual(await stage.answers(id), { db: ['Postgres'], features: ['Login', 'Export, CSV'], name: ['2 much'] });
});

test('Escape folds the card and discards nothing', async () => {
  const question = 'Where should the folded one go?';
  const id = await stage.ask([{ ...DEPLOY, question }]);
  const card = cardAbout(page, question);
  await card.waitFor();
  await tabInto(card.getByRole('radiogroup'));
  await page.keyboard.press('2');
  await chosen(card, 'Production');
  await page.keyboard.press('Escape');
  await card.getByRole('button', { expanded: false }).waitFor();
  await page.keyboard.press('Enter');
  await chosen(card, 'Production');
  await tabInto(card.getByRole('radiogroup'));
  await ready(card);
  await page.keyboard.press('Control+Enter');
  assert.deepEqual(await stage.answers(id), { deploy_target: ['Production'] });
});
