import "./tokens.css";
import "./base.css";

import { mount } from "svelte";

import App from "./App.svelte";
import { Beckon } from "./beckon.svelte";
import { followPointer } from "./density";
import { chooseHost } from "./host";
import { setLanguage } from "./locales";

setLanguage(document.documentElement);
followPointer(document.documentElement);
mount(App, { target: document.getElementById("app")!, props: { beckon: new Beckon(chooseHost()) } });
