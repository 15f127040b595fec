import { endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { created, noContent, page } from '../../../http/returns.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { Runner } from './entity.ts'
import { ResetToken } from './token-entity.ts'
import { runnersForGroup, runnersForProject } from './store-list.ts'
import { filterIn, filters, scope } from './params.ts'
import { abilities, groupAbilities } from './policy.ts'
import { resetGroupToken, resetProjectToken } from './registration-token.ts'
import { assignRunner, unassignRunner } from './service.ts'
import { listRunners, showRunner } from './views.ts'

const runner_id = int({ min: 1 }).describe('Id of the runner')

export const listProjectRunners = endpoint('GET /projects/:id/runners', {
  summary: 'List the runners that work for a project',
  scope: project,
  can: abilities.manage_project_runners,
  params: { ...filters, scope },
  returns: page(Runner),
  run: (ctx) => listRunners(ctx, runnersForProject(ctx.project), filterIn(ctx.params), ctx.paging),
})

export const addProjectRunner = endpoint('POST /projects/:id/runners', {
  summary: 'Let a runner work for a project too',
  scope: project,
  can: abilities.manage_project_runners,
  params: { runner_id },
  fails: {
    400: 'It does already, or it is one of the instance',
    403: '403 Forbidden - Runner is locked',
    404: '404 Runner Not Found',
  },
  returns: created(Runner),
  run: (ctx) => showRunner(ctx, assignRunner(ctx, ctx.project.id, ctx.params.runner_id)).row,
})

export const removeProjectRunner = endpoint('DELETE /projects/:id/runners/:runner_id', {
  summary: "End a runner's work for a project",
  scope: project,
  can: abilities.manage_project_runners,
  params: { runner_id },
  fails: { 403: '403 Forbidden - Only one project associated with the runner', 404: '404 Runner Not Found' },
  returns: noContent,
  run: (ctx) => unassignRunner(ctx, ctx.project.id, ctx.params.runner_id),
})

export const resetProjectRegistrationToken = endpoint('POST /projects/:id/runners/reset_registration_token', {
  summary: 'Give a project another registration token for runners',
  scope: project,
  can: abilities.manage_project_runners,
  returns: created(ResetToken),
  run: (ctx) => ({ token: resetProjectToken(ctx, ctx.project) }),
})

export const listGroupRunners = endpoint('GET /groups/:id/runners', {
  summary: 'List the runners that work for the projects of a group',
  scope: group,
  can: groupAbilities.read_group_runners,
  params: filters,
  returns: page(Runner),
  run: (ctx) => listRunners(ctx, runnersForGroup(ctx.group), filterIn(ctx.params), ctx.paging),
})

export const resetGroupRegistrationToken = endpoint('POST /groups/:id/runners/reset_registration_token', {
  summary: 'Give a group another registration token for runners',
  scope: group,
  can: groupAbilities.manage_group_runners,
  returns: created(ResetToken),
  run: (ctx) => ({ token: resetGroupToken(ctx, ctx.group) }),
})
