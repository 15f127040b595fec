import { on, type Subscription } from '../../events/publish.ts'
import { enqueue } from '../../jobs/job.ts'
import { SettingsChanged } from '../settings/events.ts'
import { forgetAcceptedTerms } from '../users/index.ts'
import { LIFETIME_GRACE_MS, revokeLongTokens } from './jobs.ts'

/** All users must accept a new text of the terms (spec administration 1.2, `terms`). */
export const subscribers: Subscription[] = [
  on(SettingsChanged, 'auth.forget_accepted_terms', (ctx, { names }) => {
    if (names.includes('terms')) forgetAcceptedTerms(ctx.db)
  }),
  // The revocation starts later, because it cannot be undone (spec administration 1.2).
  on(
    SettingsChanged,
    'auth.check_token_lifetimes',
    (ctx) => enqueue(ctx, revokeLongTokens, {}, { once: 'lifetimes', delay: LIFETIME_GRACE_MS }),
    { only: ({ names }) => names.includes('max_personal_access_token_lifetime') },
  ),
]
