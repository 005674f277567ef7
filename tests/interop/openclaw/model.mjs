// A model that does what the last message of the user says: an OpenAI-compatible chat-completions server on loopback.
//
//   ASK {json}    calls the tool `ask_user` with these arguments
//   after a tool's result it says `done: ` and the first line of that result
//   anything else it repeats
import { createServer } from 'node:http';
import { once } from 'node:events';

/** Starts it; resolves with `{port, close()}`. */
export async function startModel() {
  let calls = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url.endsWith('/models')) {
      response.end(JSON.stringify({ object: 'list', data: [{ id: MODEL, object: 'model' }] }));
      return;
    }
    const { messages, stream } = JSON.parse(body);
    const id = ++calls;
    const { tool, text } = decide(messages);
    const message = tool
      ? { role: 'assistant', tool_calls: [{ index: 0, id: `call_${id}`, type: 'function', function: { name: 'ask_user', arguments: tool } }] }
      : { role: 'assistant', content: text };
    const reply = {
      id: `chatcmpl-${id}`, model: MODEL, created: Math.floor(Date.now() / 1000),
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
    const finish_reason = tool ? 'tool_calls' : 'stop';
    if (!stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...reply, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const chunk = choices => response.write(`data: ${JSON.stringify({ ...reply, object: 'chat.completion.chunk', choices })}\n\n`);
    chunk([{ index: 0, delta: message, finish_reason: null }]);
    chunk([{ index: 0, delta: {}, finish_reason }]);
    response.end('data: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, close: () => { server.closeAllConnections(); server.close(); } };
}

export const MODEL = 'obedient-1';

function decide(messages) {
  // The gateway adds context of its own as further messages of the user.
  const last = messages.findLast(message => !(message.role === 'user' && textOf(message).includes('OPENCLAW_INTERNAL_CONTEXT')));
  const text = textOf(last);
  if (last.role === 'tool') return { text: `done: ${text.split('\n')[0]}` };
  const ask = text.indexOf('ASK {');
  return ask < 0 ? { text } : { tool: firstObject(text.slice(ask + 4)) };
}

const textOf = message => typeof message.content === 'string' ? message.content : (message.content ?? []).map(part => part.text ?? '').join('');

/** The JSON object that the text starts with; the gateway may have put more behind it. */
function firstObject(text) {
  for (let end = text.indexOf('}'); end > 0; end = text.indexOf('}', end + 1)) {
    const candidate = text.slice(0, end + 1);
    try { JSON.parse(candidate); return candidate; } catch { /* a brace inside */ }
  }
  throw new Error(`no JSON object in ${text}`);
}
