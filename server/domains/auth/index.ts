import { domain } from '../../domain.ts'
import { authenticate } from './authenticate.ts'
import { ensureRoot } from './first-run.ts'
import { homePageOf } from './home-page.ts'
import { checkMaintenance } from './maintenance.ts'
import { ownerSession } from './owner-session.ts'
import { standingOf } from './session-actor.ts'
import { throttlesIn } from './throttles.ts'
import * as authImpersonationRoutes from './impersonation-routes.ts'
import * as authJobs from './jobs.ts'
import * as oauthApplicationRoutes from './oauth/applications/routes.ts'
import * as oauthApplicationWindowRoutes from './oauth/applications/window-routes.ts'
import * as oauthAuthorizationRoutes from './oauth/authorization/routes.ts'
import { crons as oauthCrons } from './oauth/jobs.ts'
import * as oauthOpenIdRoutes from './oauth/openid/routes.ts'
import * as oauthTokenRoutes from './oauth/tokens/routes.ts'
import * as oauthTokenWindowRoutes from './oauth/tokens/window-routes.ts'
import * as authRecoveryRoutes from './recovery-routes.ts'
import * as authSessionRoutes from './session-routes.ts'
import { subscribers as authSubscribers } from './subscribers.ts'
import * as authTokenRoutes from './token-routes.ts'

export { authenticate, gitActor } from './authenticate.ts'
export { changeAccount, createAccount } from './accounts.ts'
export { ensureRoot } from './first-run.ts'
export { openSession, type OpenSession } from './sessions.ts'
export { createToken, type NewToken, rotate, revoke } from './tokens.ts'
export { removeSessionsOf } from './store.ts'
export { confirmationUrl, makeConfirmationToken, makeResetToken, type HandedLink } from './recovery.ts'
export { userByPassword, type ShownPassword } from './passwords.ts'
export { checkMayAct, dutyOf } from './account-state.ts'
export { noteActivity } from './identity.ts'
export { standingOf } from './session-actor.ts'
export { actorOfJobToken } from './job-token.ts'
export { guarded } from './throttle.ts'
export { isOneTooMany, wrongCredential } from './wrong-credential.ts'
export { throttlesIn } from './throttles.ts'
export { confirmationMode } from './confirmation.ts'
export { checkMaintenance, maintenanceOf } from './maintenance.ts'
export { homePageOf } from './home-page.ts'
export { signToken } from './oauth/openid/sign.ts'

export const authDomain = domain({
  name: 'auth',
  routes: [
    authSessionRoutes,
    authRecoveryRoutes,
    authTokenRoutes,
    authImpersonationRoutes,
    oauthApplicationRoutes,
    oauthApplicationWindowRoutes,
    oauthAuthorizationRoutes,
    oauthTokenRoutes,
    oauthTokenWindowRoutes,
    oauthOpenIdRoutes,
  ],
  jobs: authJobs.jobs,
  crons: [...authJobs.crons, ...oauthCrons],
  subscribers: authSubscribers,
  prepare: ensureRoot,
  ports: {
    authenticate,
    standing: standingOf,
    checkWrite: checkMaintenance,
    throttles: throttlesIn,
    homePage: homePageOf,
    ownerSession,
  },
})
