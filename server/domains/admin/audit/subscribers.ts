import type { Subscription } from '../../../events/publish.ts'
import { access } from './catalogue/access.ts'
import { accounts } from './catalogue/accounts.ts'
import { automation } from './catalogue/automation.ts'
import { instance } from './catalogue/instance.ts'
import { places } from './catalogue/scopes.ts'

/** Every event that the log tells, written in the transaction of what it tells of. */
export const subscribers: Subscription[] = [...accounts, ...access, ...places, ...automation, ...instance]
