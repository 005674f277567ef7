// What most page stories start from: a computer with Beckon open, a browser, and an asker on its built-in gateway.
import { Home } from './beckon.mjs';
import { launch, phone } from './browser.mjs';
import { request } from './questions.mjs';

export class Stage {
  static async set() {
    const stage = new Stage();
    stage.home = new Home();
    stage.browser = await launch();
    await stage.start();
    return stage;
  }

  /** Starts the app on the home as it is, and the asker with it. */
  async start() {
    this.app = await this.home.open();
    this.asker = await this.home.connect();
  }

  /** Ends the app as a crash would, and starts it again. */
  async restart() {
    await this.app.kill();
    await this.start();
  }

  /** A page of the app, on a phone unless said otherwise; `query` is added to its address. */
  page(device = phone, { query = '', ...settings } = {}) { return device(this.browser, this.app.url + query, settings); }

  /** Asks; resolves with the request's id. */
  async ask(questions, more) { return (await this.asker.ask(request(questions, more))).id; }

  /** The answers by question, once it was answered. */
  async answers(id) { return (await this.asker.resolved(id)).answers.answers; }

  /** Leaves nothing open, so that the next story's card is the one that is unfolded. */
  async clear() {
    for (const { id } of await this.asker.pending()) await this.asker.skip(id);
  }

  async strike() {
    await this.browser?.close();
    await this.app?.kill();
  }
}
