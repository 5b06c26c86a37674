import { aliasesDeprecatedSince, aliasesWorkUntil } from '../../deprecations.ts';
import { html, type Html } from './html.ts';
import type { Page } from './layout.ts';
