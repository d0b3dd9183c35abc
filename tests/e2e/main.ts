/** All scenarios, in the order in which they are played. */

import './scenarios/outline.ts';
import './scenarios/navigation.ts';
import './scenarios/summaries.ts';
import './scenarios/server.ts';
import './scenarios/install.ts';
import './scenarios/firstMinute.ts';
import './scenarios/costs.ts';
import './scenarios/pictures.ts';
