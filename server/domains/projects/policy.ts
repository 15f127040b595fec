import type { Ctx } from '../../ctx.ts'
import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { DEVELOPER, GUEST, MAINTAINER, OWNER, REPORTER } from '../../policy/levels.ts'
import { roleOnNamespace } from '../members/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import { project } from './service-scope.ts'

const isSignedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** Abilities on the project itself; features declare their own. */
export const abilities = abilitiesOn(project, {
  read_project: { from: GUEST, public: true },
  star_project: { from: GUEST, public: true, archived: true, when: isSignedIn },
  update_project: { from: MAINTAINER, archived: true },
  archive_project: { from: OWNER, archived: true },
  delete_project: { from: OWNER, archived: true },
  transfer_project: { from: OWNER, archived: true },
  share_project: { from: MAINTAINER, archived: true },
  maintain_repository: { from: MAINTAINER, archived: true },
  read_pages: { from: GUEST, feature: 'pages', public: true },
  fork_project: { from: GUEST, public: true, archived: true, when: isSignedIn },
  link_fork: { from: MAINTAINER, archived: true },
  unlink_fork: { from: OWNER, archived: true },
  read_code: { from: REPORTER, feature: 'repository', public: true },
  push_code: { from: DEVELOPER, feature: 'repository' },
  read_issues: { from: GUEST, feature: 'issues', public: true },
  read_merge_requests: { from: REPORTER, feature: 'merge_requests', public: true },
  read_statistics: { from: REPORTER },
  read_project_members: { from: GUEST, public: true, when: isSignedIn },
  manage_project_members: { from: MAINTAINER, archived: true },
  leave_project: { from: GUEST, public: true, archived: true, when: isSignedIn },
})

/** Returns true if the actor may create projects in the namespace. */
export function mayCreateIn(ctx: Ctx, namespace: NamespaceRow): boolean {
  if (ctx.actor.is_admin) return true
  if (namespace.kind === 'user') return namespace.owner_id === ctx.actor.id
  const role = roleOnNamespace(ctx, namespace)
  if (namespace.project_creation_level === 'noone') return false
  return role >= (namespace.project_creation_level === 'maintainer' ? MAINTAINER : DEVELOPER)
}
