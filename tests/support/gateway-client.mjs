// A raw client of the gateway protocol: "another client" beside the app.
//
// It signs as a device of its own, keeps every event it ever received, and adds no behaviour: no reconnect, no retry,
// no reading between the lines. What it saw is what was on the wire.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import WebSocket from 'ws';

const SCOPES = ['operator.read', 'operator.write', 'operator.questions'];

/** An error that the gateway answered with; `details` and `code` are its own. */
export class Refused extends Error {
  constructor(method, error) {
    super(`${method}: ${error.message}`);
    Object.assign(this, { code: error.code, details: error.details, reason: error.details?.reason ?? error.details?.code });
  }
}

/** A device: the id is the SHA-256 of the raw public key. */
export function newDevice() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url');
  return { id: createHash('sha256').update(raw).digest('hex'), publicKey: raw.toString('base64url'), privateKey };
}

export class GatewayClient {
  events = [];
  /** Whether `events` grows; a measurement of thousands of questions turns it off. */
  keep = true;
  #requests = new Map();
  #watchers = new Set();
  #number = 0;

  /** Connects and completes the handshake. */
  static async connect(options) {
    const client = new GatewayClient(options);
    await client.#handshake();
    return client;
  }

  constructor({ url, token, device = newDevice(), scopes = SCOPES, within = 15_000 }) {
    Object.assign(this, { url, token, device, scopes, within });
    this.socket = new WebSocket(url, { maxPayload: 32 << 20, handshakeTimeout: within });
    /** Resolves with `{code, reason}` when the socket is closed by either side. */
    this.closed = new Promise(resolve => {
      this.socket.on('error', error => { this.error = error; });
      this.socket.on('close', (code, reason) => {
        const end = this.error ?? new Error(`${url} closed: ${code} ${reason}`);
        this.#requests.forEach(request => request.reject(end));
        this.#watchers.forEach(watcher => watcher.reject(end));
        resolve({ code, reason: String(reason) });
      });
    });
    this.socket.on('message', text => this.#receive(JSON.parse(text)));
  }

  async #handshake() {
    const { payload: { nonce, ts } } = await this.event('connect.challenge', () => true, { within: this.within });
    const client = { id: 'openclaw-linux', displayName: 'Raw client', version: '0', platform: 'linux', deviceFamily: 'desktop', mode: 'ui' };
    const signed = ['v3', this.device.id, client.id, client.mode, 'operator', this.scopes.join(','), ts, this.token, nonce, client.platform, client.deviceFamily];
    this.hello = await this.request('connect', {
      minProtocol: 4, maxProtocol: 4, client, caps: ['tool-events'], role: 'operator', scopes: this.scopes,
      auth: { token: this.token }, locale: 'en-US', userAgent: 'raw-client/0',
      device: {
        id: this.device.id, publicKey: this.device.publicKey, signedAt: ts, nonce,
        signature: sign(null, Buffer.from(signed.join('|')), this.device.privateKey).toString('base64url'),
      },
    });
  }

  #receive(frame) {
    if (frame.type === 'res') {
      const request = this.#requests.get(frame.id);
      this.#requests.delete(frame.id);
      if (frame.ok) request?.resolve(frame.payload);
      else request?.reject(new Refused(request.method, frame.error));
      return;
    }
    this.onEvent?.(frame);
    if (this.keep) this.events.push(frame);
    for (const watcher of this.#watchers) if (watcher.matches(frame)) watcher.resolve(frame);
  }

  /** Sends a request; resolves with the payload of its response. */
  request(method, params = {}) {
    const id = String(++this.#number);
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { method, resolve, reject });
      this.socket.send(JSON.stringify({ type: 'req', id, method, params }), error => error && reject(error));
    });
  }

  /** The first event of that name whose payload matches, received already or still to come. */
  event(name, matches = () => true, { within = 10_000 } = {}) {
    const test = frame => frame.event === name && matches(frame.payload ?? {});
    const past = this.events.find(test);
    if (past) return Promise.resolve(past);
    return new Promise((resolve, reject) => {
      const settle = (act, value) => { clearTimeout(timer); this.#watchers.delete(watcher); act(value); };
      const timer = setTimeout(() => settle(reject, new Error(`no matching ${name} within ${within} ms`)), within);
      const watcher = { matches: test, resolve: frame => settle(resolve, frame), reject: error => settle(reject, error) };
      this.#watchers.add(watcher);
    });
  }

  async close() {
    this.socket.close();
    return this.closed;
  }

  // Questions, in their own words.

  /** Puts a question request as an agent's host would; resolves with `{id, expiresAtMs}`. */
  ask(request) { return this.request('question.request', request); }
  answer(id, answers) { return this.request('question.resolve', { id, answers: { answers } }); }
  skip(id) { return this.request('question.resolve', { id, cancel: true }); }
  async get(id) { return (await this.request('question.get', { id })).question; }
  async pending() { return (await this.request('question.list')).questions; }
  requested(matches, options) { return this.event('question.requested', matches, options).then(event => event.payload); }
  resolved(id, options) { return this.event('question.resolved', payload => payload.id === id, options).then(event => event.payload); }
}
