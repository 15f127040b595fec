import type { Project } from '../../api/types.ts'
import { groupCrumbs, groupUrl } from '../../composables/groupCrumbs.ts'
import { projectUrl } from '../../composables/paths.ts'
import { projectCrumbs } from '../../composables/projectCrumbs.ts'
import type { Crumb } from '../../composables/useCrumbs.ts'
import type { GroupWithAccess } from '../../composables/useGroup.ts'

/** A project or a group, as the owner of labels and milestones. */
export type PlanningOwner = {
  kind: 'project' | 'group'
  id: number
  name: string
  full_path: string
  mayEditLabels: boolean
  mayEditMilestones: boolean
  /** Returns the address of a page of the owner, such as `labels` or `milestones/3`. */
  url: (rest: string) => string
  crumbs: (...last: Crumb[]) => Crumb[]
}

type Rights = Pick<PlanningOwner, 'mayEditLabels' | 'mayEditMilestones'>

/** A project that owns labels and milestones. */
export const ofProject = (project: Project, rights: Rights): PlanningOwner => ({
  kind: 'project',
  id: project.id,
  name: project.name,
  full_path: project.path_with_namespace,
  url: (rest) => projectUrl(project.path_with_namespace, rest),
  crumbs: (...last) => projectCrumbs(project, ...last),
  ...rights,
})

/** A group that owns labels and milestones. */
export const ofGroup = (group: GroupWithAccess, rights: Rights): PlanningOwner => ({
  kind: 'group',
  id: group.id,
  name: group.name,
  full_path: group.full_path,
  url: (rest) => groupUrl(group.full_path, rest),
  crumbs: (...last) => groupCrumbs(group, ...last),
  ...rights,
})

/** The endpoints of both kinds of owners. */
export const AT = {
  project: {
    labels: 'GET /projects/:id/labels',
    makeLabel: 'POST /projects/:id/labels',
    changeLabel: 'PUT /projects/:id/labels/:label_id',
    removeLabel: 'DELETE /projects/:id/labels/:label_id',
    subscribe: 'POST /projects/:id/labels/:label_id/subscribe',
    unsubscribe: 'POST /projects/:id/labels/:label_id/unsubscribe',
    milestones: 'GET /projects/:id/milestones',
    makeMilestone: 'POST /projects/:id/milestones',
    changeMilestone: 'PUT /projects/:id/milestones/:milestone_id',
    removeMilestone: 'DELETE /projects/:id/milestones/:milestone_id',
    issues: 'GET /projects/:id/milestones/:milestone_id/issues',
    requests: 'GET /projects/:id/milestones/:milestone_id/merge_requests',
  },
  group: {
    labels: 'GET /groups/:id/labels',
    makeLabel: 'POST /groups/:id/labels',
    changeLabel: 'PUT /groups/:id/labels/:label_id',
    removeLabel: 'DELETE /groups/:id/labels/:label_id',
    subscribe: 'POST /groups/:id/labels/:label_id/subscribe',
    unsubscribe: 'POST /groups/:id/labels/:label_id/unsubscribe',
    milestones: 'GET /groups/:id/milestones',
    makeMilestone: 'POST /groups/:id/milestones',
    changeMilestone: 'PUT /groups/:id/milestones/:milestone_id',
    removeMilestone: 'DELETE /groups/:id/milestones/:milestone_id',
    issues: 'GET /groups/:id/milestones/:milestone_id/issues',
    requests: 'GET /groups/:id/milestones/:milestone_id/merge_requests',
  },
} as const

/** Answers that are stale after a change of a label. */
export const LABELS_STALE = ['GET /projects/:id/labels*', 'GET /groups/:id/labels*']
/** Answers that are stale after a change of a milestone. */
export const MILESTONES_STALE = ['GET /projects/:id/milestones*', 'GET /groups/:id/milestones*']
