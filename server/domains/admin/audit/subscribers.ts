import type { Subscription } from '../../../events/publish.ts'
import { access } from './catalogue/access.ts'
import { accounts } from './catalogue/accounts.ts'
import { automation } from './catalogue/automation.ts'
import { instance } from './catalogue/instance.ts'
import { scopes } from './catalogue/scopes.ts'

/** Every audited event; its entry is written in the transaction of the change. */
export const subscribers: Subscription[] = [...accounts, ...access, ...scopes, ...automation, ...instance]
