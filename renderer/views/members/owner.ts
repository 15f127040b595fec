import type { GroupWithAccess } from '../../composables/useGroup.ts'
import { ancestry } from '../../composables/paths.ts'
import type { Project } from '../../api/types.ts'

/** An invited group, as the project or group returns it. */
export type InvitedGroup = NonNullable<Project['shared_with_groups']>[number]

/** Something that has members. Projects and groups are alike here. */
export type MemberOwner = {
  kind: 'project' | 'group'
  id: number
  name: string
  full_path: string
  /** Groups whose members are members here too, the nearest first. */
  above: string[]
  invited: InvitedGroup[]
  /** The caller's level; 0 without membership. */
  level: number
  mayManage: boolean
  mayShare: boolean
  openForRequests: boolean
}

/** The endpoints about members of both kinds. */
export const AT = {
  project: {
    direct: 'GET /projects/:id/members',
    all: 'GET /projects/:id/members/all',
    change: 'PUT /projects/:id/members/:user_id',
    remove: 'DELETE /projects/:id/members/:user_id',
    invitations: 'GET /projects/:id/invitations',
    invite: 'POST /projects/:id/invitations',
    reinvite: 'PUT /projects/:id/invitations/:email',
    uninvite: 'DELETE /projects/:id/invitations/:email',
    requests: 'GET /projects/:id/access_requests',
    ask: 'POST /projects/:id/access_requests',
    approve: 'PUT /projects/:id/access_requests/:user_id/approve',
    deny: 'DELETE /projects/:id/access_requests/:user_id',
    share: 'POST /projects/:id/share',
    unshare: 'DELETE /projects/:id/share/:group_id',
  },
  group: {
    direct: 'GET /groups/:id/members',
    all: 'GET /groups/:id/members/all',
    change: 'PUT /groups/:id/members/:user_id',
    remove: 'DELETE /groups/:id/members/:user_id',
    invitations: 'GET /groups/:id/invitations',
    invite: 'POST /groups/:id/invitations',
    reinvite: 'PUT /groups/:id/invitations/:email',
    uninvite: 'DELETE /groups/:id/invitations/:email',
    requests: 'GET /groups/:id/access_requests',
    ask: 'POST /groups/:id/access_requests',
    approve: 'PUT /groups/:id/access_requests/:user_id/approve',
    deny: 'DELETE /groups/:id/access_requests/:user_id',
    share: 'POST /groups/:id/share',
    unshare: 'DELETE /groups/:id/share/:group_id',
  },
} as const

/** Cached answers that are stale after a change of members. */
export const staleOf = (owner: Pick<MemberOwner, 'kind'>): string[] =>
  owner.kind === 'project'
    ? [
        'GET /projects/:id',
        'GET /projects/:id/members*',
        'GET /projects/:id/invit*',
        'GET /projects/:id/access_requests',
      ]
    : [
        'GET /groups/:id',
        'GET /groups/:id/members*',
        'GET /groups/:id/invit*',
        'GET /groups/:id/access_requests',
      ]

const upwards = (fullPath: string) =>
  ancestry(fullPath)
    .map((step) => step.full_path)
    .reverse()

type Rights = Pick<MemberOwner, 'level' | 'mayManage' | 'mayShare'>

/** The members of a project. */
export const projectOwner = (project: Project, rights: Rights): MemberOwner => ({
  kind: 'project',
  id: project.id,
  name: project.name,
  full_path: project.path_with_namespace,
  above: project.namespace.kind === 'group' ? upwards(project.namespace.full_path) : [],
  invited: project.shared_with_groups ?? [],
  openForRequests: project.request_access_enabled !== false,
  ...rights,
})

/** The members of a group. */
export const groupOwner = (group: GroupWithAccess, rights: Rights): MemberOwner => ({
  kind: 'group',
  id: group.id,
  name: group.name,
  full_path: group.full_path,
  above: upwards(group.full_path).slice(1),
  invited: group.shared_with_groups,
  openForRequests: group.request_access_enabled,
  ...rights,
})
