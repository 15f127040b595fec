import { domain } from '../../domain.ts'
import { publishLocalAddress } from './local/following.ts'
import { recoverBackups } from './service-recovery.ts'
import { beginRestore, commitRestore, undoRestore } from './restoring/swap.ts'
import { jobs as backupJobs, crons as backupCrons } from './service.ts'
import * as backupLocalRoutes from './local/web-routes.ts'

export { backupCommand, listCommand, verifyCommand } from './command/backup.ts'
export { readStorage } from './snapshot/take.ts'
export type { RefSnapshot } from './snapshot/repositories.ts'
export { restoreCommand } from './command/restore.ts'

export const backupsDomain = domain({
  name: 'backups',
  endpoints: () => import('./routes.ts'),
  webRoutes: [backupLocalRoutes],
  jobs: backupJobs,
  crons: backupCrons,
  recover: { rest: recoverBackups },
  open: ({ context }) => publishLocalAddress(context()),
  ports: { restore: { begin: beginRestore, undo: undoRestore, commit: commitRestore } },
  reloads: { backup: ['admin/backups'] },
})
