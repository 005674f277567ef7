// The configuration of the OpenClaw gateway under test: loopback only, one token, one agent on our obedient model,
// nothing that looks at the network.
import { MODEL } from './model.mjs';

export function config({ port, token, modelPort, directory }) {
  return {
    gateway: { mode: 'local', port, bind: 'loopback', auth: { mode: 'token', token }, controlUi: { enabled: false } },
    update: { checkOnStart: false },
    telemetry: { enabled: false },
    discovery: { mdns: { mode: 'off' } },
    logging: { file: `${directory}/gateway.log` },
    // By default the model reaches ask_user through a search tool; here it is shown directly.
    tools: { toolSearch: false },
    agents: {
      defaults: {
        workspace: `${directory}/workspace`, skipBootstrap: true,
        model: { primary: `obedient/${MODEL}` }, heartbeat: { every: '0m' },
      },
    },
    models: {
      mode: 'replace',
      providers: {
        obedient: {
          baseUrl: `http://127.0.0.1:${modelPort}/v1`, apiKey: 'none', api: 'openai-completions',
          models: [{
            id: MODEL, name: 'Obedient', reasoning: false, input: ['text'],
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 200_000, maxTokens: 8192,
          }],
        },
      },
    },
  };
}

/** An isolated home, and no errands of its own. */
export function environment(directory) {
  return {
    PATH: process.env.PATH, HOME: `${directory}/home`,
    OPENCLAW_STATE_DIR: `${directory}/state`, OPENCLAW_CONFIG_PATH: `${directory}/openclaw.json`,
    OPENCLAW_NO_AUTO_UPDATE: '1', OPENCLAW_OFFLINE: '1', OPENCLAW_DISABLE_BONJOUR: '1', OPENCLAW_SKIP_CHANNELS: '1',
    // It stays the process that was started, so that its signals and its memory are its own.
    OPENCLAW_NO_RESPAWN: '1',
  };
}
