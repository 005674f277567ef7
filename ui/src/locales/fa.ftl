# هر واژه‌ای که کسی می‌بیند. نام‌ها، پرسش‌ها و پاسخ‌ها همان‌گونه که هستند می‌آیند.

## جابه‌جایی

waiting = در انتظار
gateways = درگاه‌ها
chats = گفتگوها
open-chats = گفتگوها
close = بستن
back = بازگشت
other-questions = پرسش‌های دیگر
built-in-gateway = همین رایانه، درونی
built-in-gateway-in-sentence = درگاه درونی
nav-label = بخش‌ها و گفتگوها
waiting-badge = { $count } پرسش در انتظار
page-title = ({ $count }) Beckon

## نخستین اجرا

welcome-stuck = عامل شما گیر کرده است.
welcome-tap = یک لمس با پاسخ فاصله دارید.
welcome-text = Beckon پرسش‌هایی را که تنها شما می‌توانید پاسخ دهید می‌آورد و پاسخ را برمی‌گرداند.
welcome-private = تا وصل نشوید، چیزی از این دستگاه بیرون نمی‌رود.
door-connect = اتصال به درگاه OpenClaw من
door-connect-text = نشانی و توکن آن را بنویسید. همهٔ پرسش‌هایش به اینجا می‌آید.
door-built-in = استفاده از درگاه درونی
door-built-in-text = درون همین برنامه اجرا می‌شود. هر عاملی که MCP بداند می‌تواند از شما بپرسد.
door-test = یک پرسش آزمایشی برای خودم
door-test-text = پیش از اتصال ببینید یک پرسش چه شکلی دارد.

## اتصال به درگاه

connect-title = اتصال به یک درگاه
connect-text = Beckon به درگاه OpenClaw که دارید وصل می‌شود و پرسش‌هایش را نشان می‌دهد.
connect-address = نشانی
connect-address-hint = جایی که درگاه گوش می‌دهد، مانند wss://gateway.example یا 192.168.1.20:18789.
connect-token = توکن
connect-token-hint = توکن مشترک درگاه. روی همین دستگاه می‌ماند و جز آن درگاه به کسی داده نمی‌شود.
connect-submit = اتصال
connect-busy = در حال اتصال…

## چه نشد

error-not-found = دیگر نیست. این پرسش یا درگاه اینجا نیست و کاری نمانده است.
error-not-open = این پرسش بسته شده یا پاسخ شما در راه است. چیز تازه‌ای فرستاده نشد.
error-incomplete = یک پرسش هنوز پاسخ ندارد. چیزی فرستاده نشد؛ پاسخ دهید و دوباره بفرستید.
error-bad-address = این نشانی به کار نمی‌آید: یا خوانده نمی‌شود، یا توکن شما بی‌رمز از شبکه می‌گذشت. چیزی فرستاده نشد. wss:// یا نشانی‌ای در شبکهٔ خودتان بنویسید.
error-bad-token = توکن خالی است. چیزی فرستاده نشد. آن را از تنظیمات درگاه بردارید و اینجا بگذارید.
error-already-added = این درگاه از پیش اینجاست. چیزی عوض نشد. آن را در «درگاه‌ها» می‌یابید.
error-no-key-store = این رایانه دسته‌کلید ندارد، پس توکن نگه داشته نشد و چیزی فرستاده نشد.
error-no-gateway = هیچ درگاهی برخط نیست که بپرسد. چیزی فرستاده نشد. نخست به یکی وصل شوید یا بمانید تا برگردد.
error-not-stored = ذخیره نشد، پس چیزی فرستاده نشد. نوشتهٔ شما هنوز اینجاست؛ کمی بعد دوباره بکوشید.
error-malformed = Beckon حرف خودش را نفهمید. چیزی فرستاده نشد. صفحه را تازه کنید؛ اگر تکرار شد گزارش دهید.
host-down = ارتباط با خود Beckon قطع است.
host-down-text = آیا هنوز اجرا می‌شود؟ آنچه می‌نویسید همین‌جا می‌ماند و وقتی برگردد ذخیره می‌شود.

## دسته‌کلید

key-store-title = این رایانه دسته‌کلید ندارد.
key-store-text = توکن در پرونده‌ای نگه داشته شود که تنها شما می‌توانید بخوانید؟ برنامه‌هایی که اجرا می‌کنید هم می‌توانند آن را بخوانند.
key-store-allow = نگه‌داری در پرونده
key-store-decline = حالا نه
secrets-key-store = توکن‌ها در دسته‌کلید این رایانه نگه داشته می‌شوند.
secrets-missing = این رایانه دسته‌کلید ندارد. پیش از نگه‌داری هر توکن از شما پرسیده می‌شود.
secrets-file = این رایانه دسته‌کلید ندارد. توکن‌ها در پرونده‌ای هستند که تنها شما می‌توانید بخوانید.

## درگاه درونی

built-in-title = درگاه درونی
built-in-text = در { $address } گوش می‌دهد، تنها برای برنامه‌های همین رایانه.
built-in-mcp = دادن ask_user به یک عامل
built-in-mcp-text = این را در تنظیمات عامل MCP خود بگذارید. از آن پس می‌تواند بایستد و از شما بپرسد.
built-in-shell = پرسیدن از پوسته
built-in-shell-text = برای پاسخ شما می‌ماند و آن را به شکل JSON می‌نویسد. به کار اسکریپت‌ها می‌آید.
built-in-test = همین حالا بفرست
built-in-test-text = مانند هر پرسش دیگر از درگاه می‌گذرد و در «در انتظار» پیدا می‌شود.
built-in-none = اینجا درگاه درونی نیست
built-in-none-text = این Beckon بی درگاه درونی اجرا می‌شود. به جای آن به درگاهی وصل شوید.
copy = رونوشت
copied = رونوشت شد
copy-failed = رونوشت نشد: خود نوشته را برگزینید
copy-snippet = رونوشت تنظیمات
copy-command = رونوشت فرمان
copy-draft = رونوشت پیش‌نویس

## در انتظار

waiting-summary =
    { $gateways ->
        [one] { slim-questions }
       *[other] { slim-questions }، { $gateways } درگاه
    }
waiting-nothing = چیزی در انتظار نیست
waiting-empty = چیزی در انتظار شما نیست
waiting-empty-text = هر گاه عاملی بر سر تصمیمی بماند که با شماست، پرسشش اینجا می‌آید.
waiting-empty-connect = اتصال به یک درگاه
waiting-empty-built-in = بگذارید عاملی بپرسد
waiting-empty-test = یک پرسش آزمایشی برای خودم
chat-gone = این گفتگو دیگر اینجا نیست
chat-gone-text = درگاهش برداشته شده یا نشانی کهنه است.
chat-gone-waiting = نشان دادن آنچه در انتظار است

## درگاه‌ها

gateway-add = افزودن درگاه
gateway-none = هنوز درگاهی نیست
gateway-none-text = درگاه جایی است که عامل‌های شما اجرا می‌شوند. به یکی وصل شوید تا پرسش‌هایش به اینجا بیاید.
gateway-online = وصل است.
gateway-online-text = پاسخ‌ها بی‌درنگ می‌روند.
gateway-built-in-online = در حال اجراست.
gateway-built-in-online-text = عامل‌های این رایانه می‌توانند از شما بپرسند.
gateway-read-only = تنها خواندنی.
gateway-read-only-text = حق پرسش‌ها را به این دستگاه نداده است، پس اینجا نمی‌توانید پاسخ دهید. در درگاه، این دستگاه را با operator.questions تأیید کنید.
gateway-limited = وصل، با محدودیت.
gateway-limited-text = می‌توانید پاسخ دهید. این‌ها به این دستگاه داده نشده است: { $scopes }.
gateway-connecting = در حال اتصال…
gateway-connecting-text = پاسخ‌ها نگه داشته می‌شوند و با برقراری ارتباط می‌روند.
gateway-retry-in = { $seconds } دیگر دوباره می‌کوشد. پاسخ‌ها نگه داشته می‌شوند و وقتی برگردد می‌روند.
gateway-retry-now = اکنون دوباره می‌کوشد. پاسخ‌ها نگه داشته می‌شوند و وقتی برگردد می‌روند.
gateway-stuck-text = پاسخ‌ها نگه داشته می‌شوند، ولی تا این حل نشود نمی‌روند.
gateway-try = همین حالا
gateway-remove = برداشتن
gateway-remove-named = برداشتن { $name }
gateway-remove-sure = { $name } برداشته شود؟ توکن، پرسش‌ها و پیش‌نویس‌هایش از این دستگاه پاک می‌شوند.
gateway-remove-yes = برداشتن درگاه
gateway-remove-no = بماند
gateway-agents = بگذارید عاملی بپرسد
gateway-deadlines = مهلت پرسش‌ها با ساعت درگاه می‌گذرد، حتی وقتی این دستگاه برخط نیست.

problem-unreachable = در دسترس نیست.
problem-unreachable-do = کسی در این نشانی پاسخ نمی‌دهد. ببینید درگاه اجرا می‌شود و این دستگاه در شبکهٔ آن است.
problem-lost = ارتباط قطع شد.
problem-lost-do = درگاه رفت. ببینید هنوز اجرا می‌شود.
problem-restarting = در حال راه‌اندازی دوباره.
problem-restarting-do = درگاه می‌گوید که آغاز می‌کند یا می‌ایستد. باید زود برگردد.
problem-not-a-gateway = درگاه نیست.
problem-not-a-gateway-do = چیز دیگری در این نشانی پاسخ می‌دهد. شمارهٔ پورت را وارسی کنید، این را بردارید و نشانی درست را بیفزایید.
problem-token-refused = توکن پذیرفته نشد.
problem-token-refused-do = یا نادرست است یا در درگاه عوض شده. این را بردارید و با توکن تازه دوباره بیفزایید.
problem-rate-limited = توکن نادرست بیش از اندازه.
problem-rate-limited-do = درگاه مدتی کسی را راه نمی‌دهد. چند دقیقه بمانید و دوباره بکوشید.
problem-pairing = در انتظار تأیید شما.
problem-pairing-do = در یک دستگاه جفت‌شده این دستگاه را تأیید کنید، یا این را در درگاه اجرا کنید:
problem-pairing-list = در یک دستگاه جفت‌شده این دستگاه را تأیید کنید، یا برای دیدن درخواست این را در درگاه اجرا کنید:
problem-version = نسخه‌ها با هم نمی‌خوانند.
problem-version-do = درگاه و این Beckon حرف هم را نمی‌فهمند. هر کدام را که کهنه‌تر است به‌روز کنید.
problem-refused = رد شد.
problem-refused-do = درگاه دلیلی می‌آورد که در زیر است. آنجا عوضش کنید و دوباره بکوشید.
problem-secrets = دسته‌کلید قفل است.
problem-secrets-do = این رایانه توکن را نمی‌دهد. دسته‌کلید را باز کنید و دوباره بکوشید.

## نوار ارتباط

banner-offline = ارتباط قطع است.
banner-offline-text = پاسخ‌ها نگه داشته و بعد فرستاده می‌شوند.
banner-offline-named = ارتباط با { $name } قطع است.
banner-connecting = در حال اتصال…
banner-connecting-named = در حال اتصال به { $name }…
banner-stuck-text = پاسخ‌ها نگه داشته می‌شوند، ولی هنوز نمی‌روند.
banner-what-to-do = چه باید کرد
banner-read-only = تنها خواندنی.
banner-read-only-text = این دستگاه اجازهٔ پاسخ ندارد.
link-offline = قطع
link-connecting = در حال اتصال

## کارت

card-label = پرسش از { $who }
time-left = { $time } مانده
time-checking = در حال وارسی…
time-urgent = کمتر از یک دقیقه مانده: { $question }
question-position = { $position } از { $total }
choose-any = هر چند تا
question-number = پرسش { $position }
recommended = پیشنهادی
other = چیز دیگر…
other-field = پاسخ خودتان
other-kept = نوشتهٔ شما نگه داشته شده
other-unsaved = هنوز ذخیره نشده. همین‌جا می‌ماند و وقتی Beckon برگردد ذخیره می‌شود.
secret-here = این یک راز است. هنوز نمی‌شود اینجا پاسخش داد: در درگاه پاسخ دهید یا رد کنید.
send = ارسال
skip = رد کردن
you-decide = به انتخاب خودت
collapse = جمع کردن
left-lone = نخست پاسخی برگزینید
left-text = نخست پاسخ خود را بنویسید
left-many = { $count } پرسش مانده:
skip-sure = بی فرستادن آنچه برگزیدید رد شود؟
skip-yes = رد شود
skip-no = ادامهٔ پاسخ
not-sent = فرستاده نشد.
not-sent-invalid = این پاسخ به این شکل در { $name } پذیرفته نیست. هنوز اینجاست: عوضش کنید و دوباره بفرستید.
not-sent-forbidden = این دستگاه اجازهٔ پاسخ در { $name } را ندارد. پاسخ شما هنوز اینجاست: اجازه دهید یا جای دیگر پاسخ دهید.
not-sent-failed = در { $name } خطایی رخ داد. پاسخ شما هنوز اینجاست.
send-again = دوباره بفرست
slim-questions = { $count } پرسش
slim-answered = { $count } پرسش، { $answered } پاسخ داده

## چکیده

no-answer = بی‌پاسخ
no-answer-in-time = در مهلت پاسخی نیامد
stored = نگه داشته شد
left-to-agent = به عامل سپرده شد
your-draft = پیش‌نویس شما
by-you = شما
by-you-delegated = شما به عامل سپردید
by-message = با پیامی در گفتگو
by-name = پاسخ از { $name }
by-elsewhere = جای دیگری پاسخ داده شد
skipped = رد شد
skipped-by = { $name } رد کرد
skipped-elsewhere = جای دیگری رد شد
skipped-message = با پیامی در گفتگو رد شد
stopped = اجرا متوقف شد و پرسش پس گرفته شد
stopped-at = اجرا { $time } متوقف شد و پرسش پس گرفته شد
expired = مهلت گذشت و عامل با بهترین داوری خود ادامه داد
expired-at = مهلت { $time } گذشت و عامل با بهترین داوری خود ادامه داد
unknown = سرانجام نامعلوم. این پرسش دیگر در { $name } نیست
unknown-sent = سرانجام نامعلوم. شاید فرستادهٔ شما رسیده باشد، ولی پرسش دیگر در { $name } نیست
sending = در حال فرستادن به { $name }…
sending-skip = در حال رد کردن در { $name }…
waiting-to-send = در انتظار ارسال.
waiting-to-send-text = همین که { $name } برگردد می‌رود، اگر پرسش هنوز باز باشد.
waiting-to-skip = در انتظار رد کردن.

## بلندخوانی

said-arrived = پرسش تازه از { $who }: { $question }
said-answered = پاسخ داده شد: { $question }
said-answered-elsewhere = جای دیگری پاسخ داده شد: { $question }
said-skipped = رد شد: { $question }
said-stopped = پس گرفته شد، چون اجرایش متوقف شد: { $question }
said-expired = مهلت گذشت: { $question }
said-unknown = سرانجام نامعلوم: { $question }
said-waiting-to-send = نگه داشته شد و وقتی درگاه برگردد فرستاده می‌شود: { $question }
said-not-sent = فرستاده نشد، پاسخ شما هنوز اینجاست: { $question }
