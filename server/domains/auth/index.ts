import { domain } from '../../domain.ts'
import { authenticate } from './credentials/authenticate.ts'
import { ensureRoot } from './sign_in/first-run.ts'
import { homePageOf, checkMaintenance } from './service.ts'
import { ownerSession } from './credentials/sessions.ts'
import { cookieAccessOf } from './credentials/session-actor.ts'
import { throttlesIn } from './credentials/throttle.ts'
import * as authJobs from './jobs.ts'
import { subscribers as authSubscribers } from './subscribers.ts'

export { authenticate, gitActor } from './credentials/authenticate.ts'
export { changeAccount, createAccount, confirmationMode } from './sign_in/accounts.ts'
export { ensureRoot } from './sign_in/first-run.ts'
export { openSession, type OpenSession } from './credentials/sessions.ts'
export { createToken, tokenOwner, type NewToken, rotate, revoke } from './tokens/service.ts'
export { removeSessionsOf } from './store.ts'
export {
  confirmationUrl,
  createConfirmationLink,
  createResetLink,
  type OneTimeLink,
} from './sign_in/recovery.ts'
export { userByPassword, type PasswordCredentials } from './sign_in/passwords.ts'
export { checkMayAct, dutyOf } from './credentials/account-state.ts'
export { actorOfJobToken } from './credentials/authenticate.ts'
export { limitFailures, hasTooManyFailures, wrongCredential, throttlesIn } from './credentials/throttle.ts'
export { checkMaintenance, maintenanceOf, homePageOf } from './service.ts'
export { signToken } from './oauth/openid/keys.ts'

export const authDomain = domain({
  name: 'auth',
  endpoints: () =>
    Promise.all([
      import('./sign_in/session-routes.ts'),
      import('./sign_in/recovery-routes.ts'),
      import('./tokens/routes.ts'),
      import('./oauth/applications/routes.ts'),
      import('./oauth/authorization/routes.ts'),
      import('./oauth/tokens/routes.ts'),
      import('./oauth/openid/routes.ts'),
    ]),
  jobs: authJobs.jobs,
  crons: authJobs.crons,
  subscribers: authSubscribers,
  prepare: ensureRoot,
  ports: {
    authenticate,
    cookieAccess: cookieAccessOf,
    checkWrite: checkMaintenance,
    throttles: throttlesIn,
    homePage: homePageOf,
    ownerSession,
  },
  reloads: {
    oauth_application: ['applications', 'authorized_applications'],
    personal_access_token: ['personal_access_tokens', 'access_tokens', 'impersonation_tokens'],
    session: ['/-/profile/sessions'],
  },
})
