import { on, type Subscription } from '../../events/facts.ts'
import { SettingsChanged } from '../settings/events.ts'
import { forgetAcceptedTerms } from './store.ts'

/** A new text of the terms is accepted anew by everybody (spec administration 1.2, `terms`). */
export const subscribers: Subscription[] = [
  on(SettingsChanged, 'auth.forget_accepted_terms', (ctx, { names }) => {
    if (names.includes('terms')) forgetAcceptedTerms(ctx.db)
  }),
]
