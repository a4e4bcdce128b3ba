/** The dashboard in a browser: one suite, since a Chromium takes longer to start than most of these tests. */
import './dashboard/access.ts';
import './dashboard/figures.ts';
import './dashboard/hostile.ts';
import './dashboard/live.ts';
import './dashboard/markup.ts';
import './dashboard/task.ts';
import { oneBrowser } from './dashboard/page.ts';

oneBrowser();
