// Pages as a person has them: a phone that is touched, a desktop that is clicked and typed on.
import { join } from 'node:path';
import { chromium, devices } from 'playwright-core';
import { out } from './paths.mjs';

export async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  });
}

/** Opens `url` in a context of its own. An error in the page's script fails whoever calls `page.sound()`. */
async function open(browser, url, settings) {
  const context = await browser.newContext({ locale: 'en-GB', ...settings });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults = [];
  page.on('pageerror', error => faults.push(error.stack));
  page.sound = () => { if (faults.length) throw new Error(`the page failed:\n${faults.join('\n')}`); };
  await page.goto(url);
  return page;
}

export const phone = (browser, url, settings) => open(browser, url, { ...devices['iPhone 14'], ...settings });
export const desktop = (browser, url, settings) => open(browser, url, { viewport: { width: 1100, height: 800 }, ...settings });

/** A screenshot to look at after the run. */
export const picture = (page, name) => page.screenshot({ path: join(out, `${name}.png`), fullPage: true });
