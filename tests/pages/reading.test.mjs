// Small, right to left, long, hostile: the card stays readable, and an agent's text stays text.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { phone, picture } from '../support/browser.mjs';
import { cardAbout } from '../support/cards.mjs';
import { DEPLOY, THREE } from '../support/questions.mjs';
import { Stage } from '../support/stage.mjs';

let stage;

beforeEach(async () => { stage = await Stage.set(); });
afterEach(() => stage.strike());

const NARROW = { viewport: { width: 320, height: 640 } };
const LONG = {
  ...DEPLOY, question: 'Which of these\nlong ones?',
  options: [{ label: 'The long way', description: 'All of this must be readable. '.repeat(20).trim() }, { label: 'The short way' }],
};

/** Nothing reaches beyond the screen's sides, and no text is cut. */
async function fits(page) {
  assert.deepEqual(await page.evaluate(() => {
    const wide = [...document.querySelectorAll('article *')].filter(element => {
      const { left, right, width } = element.getBoundingClientRect();
      const hidden = getComputedStyle(element).overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1;
      return width > 1 && (left < -1 || right > innerWidth + 1 || hidden);
    });
    const { scrollWidth, clientWidth } = document.documentElement;
    return { sideways: scrollWidth - clientWidth, wide: wide.map(element => element.outerHTML.slice(0, 120)) };
  }), { sideways: 0, wide: [] });
}

test('at 320 px, a description of 600 characters is all there', async () => {
  await stage.ask([LONG, ...THREE.slice(0, 2)]);
  const page = await stage.page(phone, NARROW);
  await cardAbout(page, 'long ones?').waitFor();
  await fits(page);
  await picture(page, 'narrow');
});

test('in Persian the page runs right to left, and fits', async () => {
  await stage.ask([LONG, ...THREE.slice(0, 2)]);
  const page = await stage.page(phone, { ...NARROW, query: '&lang=fa' });
  await cardAbout(page, 'long ones?').waitFor();
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).direction), 'rtl');
  await fits(page);
  await picture(page, 'right-to-left');
});

test('markup from an agent is shown as text, runs nothing and loads nothing', async () => {
  const hostile = '<img src="http://elsewhere.invalid/x" onerror="document.title=\'owned\'"><b>bold?</b>';
  const page = await stage.page();
  const strangers = [];
  const { host } = new URL(stage.app.url);
  page.on('request', request => { if (new URL(request.url()).host !== host) strangers.push(request.url()); });
  await stage.ask([{ ...DEPLOY, question: hostile, options: [{ label: hostile, description: hostile }, { label: 'No' }] }]);
  const card = cardAbout(page, hostile);
  await card.getByText(hostile).first().waitFor();
  assert.equal(await card.locator('img').count(), 0);
  assert.notEqual(await page.title(), 'owned');
  assert.deepEqual(strangers, []);
  page.sound();
});
