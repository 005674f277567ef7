# Every word a person sees. Names, questions and answers come in as they are.

## Navigation

waiting = Waiting
gateways = Gateways
chats = Chats
open-chats = Chats
close = Close
back = Back
other-questions = Other questions
built-in-gateway = This computer, built-in
built-in-gateway-in-sentence = the built-in gateway
nav-label = Places and chats
waiting-badge =
    { $count ->
        [one] { $count } question waiting
       *[other] { $count } questions waiting
    }
page-title = ({ $count }) Beckon

## First run

welcome-stuck = Your agent is stuck.
welcome-tap = You are one tap away.
welcome-text = Beckon brings you the questions only you can answer, and takes the answer back.
welcome-private = Nothing leaves this device until you connect.
door-connect = Connect to my OpenClaw gateway
door-connect-text = Type its address and token. Every question it has comes here.
door-built-in = Use the built-in gateway
door-built-in-text = Runs inside this app. Any agent that speaks MCP can ask you.
door-test = Send myself a test question
door-test-text = See what a question looks like before you connect anything.

## Connecting a gateway

connect-title = Connect a gateway
connect-text = Beckon connects to the OpenClaw gateway you already run and shows its questions.
connect-address = Address
connect-address-hint = Where the gateway listens, for example wss://gateway.example or 192.168.1.20:18789.
connect-token = Token
connect-token-hint = The gateway’s shared token. It stays on this device and goes to no one but that gateway.
connect-submit = Connect
connect-busy = Connecting…

## What went wrong with a wish

error-not-found = That is gone. The question or the gateway is no longer here, so there is nothing left to do.
error-not-open = This question is closed already, or your answer is on its way. Nothing new was sent.
error-incomplete = A question still has no answer. Nothing was sent; answer it, then send again.
error-bad-address = This address can’t be used: it can’t be read, or your token would cross the network unencrypted. Nothing was sent. Use wss://, or an address in your own network.
error-bad-token = The token is empty. Nothing was sent. Copy it from the gateway’s settings and paste it here.
error-already-added = This gateway is here already. Nothing was changed. You find it under Gateways.
error-no-key-store = This computer has no key store, so the token was not kept and nothing was sent.
error-no-gateway = No gateway is online to ask it. Nothing was sent. Connect one first, or wait until it is back.
error-not-stored = It could not be saved, so nothing was sent. What you typed is still here; try again in a moment.
error-malformed = Beckon did not understand itself. Nothing was sent. Reload; if it comes back, please report it.
host-down = No connection to Beckon itself.
host-down-text = Is it still running? What you type stays here and is saved when it is back.

## Key store

key-store-title = This computer has no key store.
key-store-text = Keep the token in a file that only you can read? Programs you run could read it too.
key-store-allow = Keep in a file
key-store-decline = Not now
secrets-key-store = Tokens are kept in this computer’s key store.
secrets-missing = This computer has no key store. You are asked before a token is kept.
secrets-file = This computer has no key store. Tokens are kept in a file that only you can read.

## Built-in gateway

built-in-title = Built-in gateway
built-in-text = It listens at { $address }, for programs on this computer only.
built-in-mcp = Give an agent ask_user
built-in-mcp-text = Paste this into the settings of your MCP agent. From then on it can stop and ask you.
built-in-shell = Ask from a shell
built-in-shell-text = Waits for your answer and prints it as JSON. Good in scripts.
built-in-test = Send one now
built-in-test-text = It comes through the gateway like any other, and appears under Waiting.
built-in-none = No built-in gateway here
built-in-none-text = This Beckon runs without one. Connect to a gateway instead.
copy = Copy
copied = Copied
copy-failed = Copy failed: select the text instead
copy-snippet = Copy the settings
copy-command = Copy the command
copy-draft = Copy draft

## Waiting

waiting-summary =
    { $gateways ->
        [one] { slim-questions }
       *[other] { slim-questions }, { $gateways } gateways
    }
waiting-nothing = Nothing is waiting
waiting-empty = Nothing is waiting for you
waiting-empty-text = When an agent is stuck on a decision that is yours, its question appears here.
waiting-empty-connect = Connect a gateway
waiting-empty-built-in = Let an agent ask you
waiting-empty-test = Send myself a test question
chat-gone = This chat is not here any more
chat-gone-text = Its gateway was removed, or the address is an old one.
chat-gone-waiting = Show what is waiting

## Gateways

gateway-add = Add gateway
gateway-none = No gateway yet
gateway-none-text = A gateway is where your agents run. Connect one and its questions come here.
gateway-online = Connected.
gateway-online-text = Answers go out at once.
gateway-built-in-online = Running.
gateway-built-in-online-text = Agents on this computer can ask you questions.
gateway-read-only = Read only.
gateway-read-only-text = It has not granted this device the right to questions, so you can’t answer here. At the gateway, approve this device with operator.questions.
gateway-limited = Connected, with limits.
gateway-limited-text = You can answer. It has not granted this device: { $scopes }.
gateway-connecting = Connecting…
gateway-connecting-text = Answers are kept and go out when it is there.
gateway-retry-in = Trying again in { $seconds }. Answers are kept and go out when it is back.
gateway-retry-now = Trying again now. Answers are kept and go out when it is back.
gateway-stuck-text = Answers are kept, but none go out until this is solved.
gateway-try = Try now
gateway-remove = Remove
gateway-remove-named = Remove { $name }
gateway-remove-sure = Remove { $name }? Its token, its questions and your drafts for it are deleted from this device.
gateway-remove-yes = Remove gateway
gateway-remove-no = Keep
gateway-agents = Let an agent ask
gateway-deadlines = Questions keep their deadline on the gateway’s clock, even while this device is offline.

problem-unreachable = Can’t be reached.
problem-unreachable-do = Nobody answers at this address. Check that the gateway runs and that this device is in its network.
problem-lost = Connection lost.
problem-lost-do = The gateway went away. Check that it still runs.
problem-restarting = Restarting.
problem-restarting-do = The gateway says that it is starting or stopping. It should be back soon.
problem-not-a-gateway = Not a gateway.
problem-not-a-gateway-do = Something else answers at this address. Check the port, remove this entry and add the right address.
problem-token-refused = The token is not accepted.
problem-token-refused-do = It is wrong, or was changed at the gateway. Remove this entry and add it again with the new token.
problem-rate-limited = Too many wrong tokens.
problem-rate-limited-do = The gateway lets nobody in for a while. Wait a few minutes, then try again.
problem-pairing = Waiting for your approval.
problem-pairing-do = On a paired device, approve this one, or run this on the gateway:
problem-pairing-list = On a paired device, approve this one, or run this on the gateway to see the request:
problem-version = Versions don’t match.
problem-version-do = The gateway and this Beckon don’t understand each other. Update the older of the two.
problem-refused = Refused.
problem-refused-do = The gateway gives a reason, which is below. Change it there, then try again.
problem-secrets = The key store is locked.
problem-secrets-do = This computer does not give the token out. Unlock its key store, then try again.

## Connection banner

banner-offline = No connection.
banner-offline-text = Answers are kept and sent later.
banner-offline-named = No connection to { $name }.
banner-connecting = Connecting…
banner-connecting-named = Connecting to { $name }…
banner-stuck-text = Answers are kept, but none go out yet.
banner-what-to-do = What to do
banner-read-only = Read only.
banner-read-only-text = This device may not answer.
link-offline = offline
link-connecting = connecting

## Card

card-label = Question from { $who }
time-left = { $time } left
time-checking = Checking…
time-urgent = Less than a minute left: { $question }
question-position = { $position } of { $total }
choose-any = choose any
question-number = Question { $position }
recommended = Recommended
other = Other…
other-field = Your own answer
other-kept = Your text is kept
other-unsaved = Not saved yet. It stays here and is saved when Beckon is back.
secret-here = A secret. It can’t be answered here yet: answer it at the gateway, or skip.
send = Send
skip = Skip
you-decide = You decide
collapse = Collapse
left-lone = Choose an answer first
left-text = Type your answer first
left-many =
    { $count ->
        [one] { $count } question left:
       *[other] { $count } questions left:
    }
skip-sure = Skip without sending what you chose?
skip-yes = Skip it
skip-no = Keep answering
not-sent = Not sent.
not-sent-invalid = The answer is not accepted by { $name } as it is. It is still here: change it, then send again.
not-sent-forbidden = This device may not answer at { $name }. Your answer is still here: give this device the right to, or answer elsewhere.
not-sent-failed = Something failed at { $name }. Your answer is still here.
send-again = Send again
slim-questions =
    { $count ->
        [one] { $count } question
       *[other] { $count } questions
    }
slim-answered =
    { $count ->
        [one] { $count } question
       *[other] { $count } questions
    }, { $answered } answered

## Summary

no-answer = No answer
no-answer-in-time = No answer in time
stored = Stored
left-to-agent = Left to the agent
your-draft = Your draft
by-you = You
by-you-delegated = You left it to the agent
by-message = By a message in the chat
by-name = Answered by { $name }
by-elsewhere = Answered elsewhere
skipped = Skipped
skipped-by = Skipped by { $name }
skipped-elsewhere = Skipped elsewhere
skipped-message = Skipped by a message in the chat
stopped = Run stopped, the question was withdrawn
stopped-at = Run stopped { $time }, the question was withdrawn
expired = Expired, the agent went on with its best judgment
expired-at = Expired { $time }, the agent went on with its best judgment
unknown = Outcome unknown. The question is no longer at { $name }
unknown-sent = Outcome unknown. What you sent may have arrived, but the question is no longer at { $name }
sending = Sending to { $name }…
sending-skip = Skipping at { $name }…
waiting-to-send = Waiting to send.
waiting-to-send-text = Leaves as soon as { $name } is back, if the question is still open.
waiting-to-skip = Waiting to skip.

## Read aloud

said-arrived = New question from { $who }: { $question }
said-answered = Answered: { $question }
said-answered-elsewhere = Answered elsewhere: { $question }
said-skipped = Skipped: { $question }
said-stopped = Withdrawn, its run was stopped: { $question }
said-expired = Expired: { $question }
said-unknown = Outcome unknown: { $question }
said-waiting-to-send = Kept, and sent when the gateway is back: { $question }
said-not-sent = Not sent, your answer is still here: { $question }
