// The real window: the built app under WebDriver, with its own gateway inside and the key store of a real session.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Builder, By, Capabilities, until as found } from 'selenium-webdriver';
import { binary, Home } from '../support/beckon.mjs';
import { out, target } from '../support/paths.mjs';
import { freePort, run, until } from '../support/processes.mjs';
import { DEPLOY, request } from '../support/questions.mjs';
import { DesktopSession } from '../support/session.mjs';

let home, session, driver, window;

before(async () => {
  home = new Home();
  // Asked and stored before the app starts: it has to be there with the first thing that is painted.
  const gateway = await home.gateway();
  const asker = await home.connect();
  await asker.ask(request([DEPLOY]));
  await gateway.stop();

  session = await DesktopSession.start();
  const [port, native] = [await freePort(), await freePort()];
  driver = session.start(await tauriDriver(), ['--port', port, '--native-port', native], { env: { BECKON_HOME: home.directory } });
  const server = `http://127.0.0.1:${port}`;
  await until(() => fetch(`${server}/status`), { what: 'the driver' });
  const app = new Capabilities({ browserName: 'wry', 'tauri:options': { application: binary('beckon-app') } });
  window = await new Builder().withCapabilities(app).usingServer(server).build().catch(error => { throw driver.failure(error.message); });
});

after(async () => {
  await window?.quit().catch(() => {});
  await driver?.stop();
  await session?.stop();
});

/** The driver between WebDriver and the app's web view, built once. */
async function tauriDriver() {
  const tools = join(target, 'tools');
  const path = join(tools, 'bin/tauri-driver');
  if (!existsSync(path)) await run('cargo', ['install', 'tauri-driver', '--locked', '--version', '^2', '--root', tools], { name: 'cargo install tauri-driver' });
  return path;
}

const card = question => window.wait(found.elementLocated(By.xpath(`//article[contains(., "${question}")]`)), 15_000);
const press = element => window.actions().move({ origin: element }).click().perform();

test('a question that was waiting is in the first paint', async t => {
  const shown = await card(DEPLOY.question);
  const painted = await window.executeScript('const [paint] = performance.getEntriesByName("first-contentful-paint"); return performance.timeOrigin + paint.startTime');
  t.diagnostic(`process start to first painted card: ${Math.round(painted - startOf(binary('beckon-app')))} ms`);
  writeFileSync(join(out, 'shell.png'), await window.takeScreenshot(), 'base64');
  assert.ok(await shown.findElement(By.xpath('.//button[.="Send"]')));
});

test('the app answers what `beckon ask` asks', async () => {
  const asked = home.ask('--question', 'Does the window work?', '--header', 'Window', '--option', 'Yes', '--option', 'No');
  const open = await card('Does the window work?');
  await press(await open.findElement(By.xpath('.//input[@type="radio"]')));
  await press(await open.findElement(By.xpath('.//button[.="Send"]')));
  const { code, stdout } = await asked.end();
  assert.equal(code, 0);
  assert.deepEqual(Object.values(JSON.parse(stdout).answers.answers), [['Yes']]);
});

test('secrets are in the key store', async () => {
  await window.executeScript('location.hash = "#/gateways"');
  await window.wait(found.elementLocated(By.xpath('//*[contains(., "kept in this computer’s key store")]')), 15_000);
});

/** When the program at that path was started, on the clock of `Date.now()`. */
function startOf(path) {
  const pid = readdirSync('/proc').find(name => {
    try { return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/exe`) === path; } catch { return false; }
  });
  // In hundredths of a second since boot, behind the program's name, which may contain anything.
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) /);
  const startedAt = Number(fields.split(' ')[19]) / 100;
  const uptime = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return Date.now() - (uptime - startedAt) * 1000;
}
