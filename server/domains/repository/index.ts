import { domain } from '../../domain.ts'
import * as webArchive from './archive/web.ts'
import * as rawFiles from './files/web.ts'
import { gitRoutes } from './smart_http/git-over-http.ts'
import { sshService } from './ssh/sessions.ts'
import { recoverJournal } from './service-refs.ts'
import { lfsRoutes } from './lfs/routes.ts'
import { jobs as repositoryJobs, runningPushes } from './service-upkeep.ts'
import { subscribers as repositorySubscribers } from './subscribers.ts'

export { RefsUpdated } from './events.ts'
export { moveRefs } from './service-refs.ts'
export { runChecks, refusalOf, readOnlyProblem, READ_ONLY } from './checks/run-checks.ts'
export type { Check, CheckInput, ChangeSource, RefChange } from './checks/check.ts'
export { commitFiles, type CommitRequest, type FileAction } from './commits/write.ts'
export { authorOf, committerOf, diffLimits } from './service.ts'
export { inRepository } from '../projects/index.ts'
export { linkLargeFilesFromNetwork } from './checks/large-files.ts'
export {
  admits,
  allows,
  allowsForce,
  needsCodeOwners,
  protecting,
  pusherOf,
  type Pusher,
} from './protected_refs/rules.ts'
export { createTag } from './tags/service.ts'
export { readOwners, codeOwnersOf, type CodeOwnerRule } from './code_owners/service.ts'
export { isMember } from './protected_refs/entries.ts'
export { tagProtectionsOf } from './protected_refs/tags/store.ts'
export {
  checkGitAccess,
  isDeployCredentialOf,
  projectAt,
  identify as identifyForGit,
  challenge,
  Refusal,
} from './smart_http/access.ts'
export { admit as admitToGit, pushRulesOf } from './smart_http/open-target.ts'
export { gitRoutes, REPOSITORY_PATH } from './smart_http/git-over-http.ts'
export type { GitTarget, GitRequest, OpenGitTarget, PushHandler } from '../../git-target.ts'
export { serveGit, type SshCommand } from './ssh/git-over-ssh.ts'
export { requestHousekeeping, requestStatistics } from './service-upkeep.ts'
export { decoded, webReader } from './web.ts'
export { moveKeys as moveDeployKeys } from './deploy_keys/keys/store.ts'
export { secretPattern } from './push_rules/validation.ts'
export { requireSignatures } from './push_rules/store.ts'

export const repositoryDomain = domain({
  name: 'repository',
  endpoints: () =>
    Promise.all([
      import('./changelog/routes.ts'),
      import('./files/routes.ts'),
      import('./contributors/routes.ts'),
      import('./compare/routes.ts'),
      import('./commits/routes.ts'),
      import('./commits/write-routes.ts'),
      import('./refs/routes.ts'),
      import('./archive/routes.ts'),
      import('./protected_refs/routes.ts'),
      import('./code_owners/routes.ts'),
      import('./signatures/routes.ts'),
      import('./languages/routes.ts'),
      import('./deploy_keys/keys/routes.ts'),
      import('./deploy_keys/tokens/routes.ts'),
      import('./push_rules/routes.ts'),
      import('./file_templates/routes.ts'),
    ]),
  webRoutes: [rawFiles, webArchive],
  jobs: repositoryJobs,
  subscribers: [...repositorySubscribers],
  gitRoutes: (targets) => [...gitRoutes(targets), ...lfsRoutes(targets)],
  recover: { refs: recoverJournal },
  ports: { ssh: sshService, runningPushes },
  reloads: {
    deploy_key: ['owner', 'deploy_keys'],
    deploy_token: ['owner', 'deploy_tokens'],
    push_rule: ['push_rule'],
    'repository.downloads_exceeded': [],
  },
})
