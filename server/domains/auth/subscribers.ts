import { on, type Subscription } from '../../events/publish.ts'
import { enqueue } from '../../jobs/job.ts'
import { SettingsChanged } from '../settings/events.ts'
import { resetAcceptedTerms } from '../users/index.ts'
import { LIFETIME_GRACE_MS, revokeOverlongTokens } from './jobs.ts'

export const subscribers: Subscription[] = [
  // All users must accept a changed text of the terms again (spec administration 1.2, `terms`).
  on(SettingsChanged, 'auth.forget_accepted_terms', (ctx, { names }) => {
    if (names.includes('terms')) resetAcceptedTerms(ctx.db)
  }),
  // The revocation starts after a delay, because it cannot be undone (spec administration 1.2).
  on(
    SettingsChanged,
    'auth.check_token_lifetimes',
    (ctx) => enqueue(ctx, revokeOverlongTokens, {}, { once: 'lifetimes', delay: LIFETIME_GRACE_MS }),
    { only: ({ names }) => names.includes('max_personal_access_token_lifetime') },
  ),
]
