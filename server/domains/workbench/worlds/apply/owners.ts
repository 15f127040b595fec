import { findGroup } from '../../../groups/index.ts'
import {
  ACCESS,
  type World,
  type WorldGroup,
  type WorldLabel,
  type WorldMilestone,
  type WorldRunner,
} from '../model/schema.ts'
import type { ApplyRun } from './apply-run.ts'

const LEVELS = [5, 10, 20, 30, 40, 50] as const

/** A project or group. `kind` is the first part of its API paths, `at` the time at which its content is created. */
export interface Owner {
  readonly kind: 'projects' | 'groups'
  readonly id: number
  readonly at: string | undefined
}

interface Variable {
  readonly key: string
  readonly value: string
}

/** The members, labels and milestones of a group or project. */
export interface OwnerContent {
  readonly members?: WorldGroup['members']
  readonly labels?: readonly WorldLabel[] | undefined
  readonly milestones?: readonly WorldMilestone[] | undefined
}

export async function applyGroup(run: ApplyRun, group: WorldGroup): Promise<void> {
  const { path } = group
  const row = findGroup(run.ctx, path)
  if (row) run.countExisting('groups')
  const parts = path.split('/')
  const parent = parts.length > 1 ? findGroup(run.ctx, parts.slice(0, -1).join('/')) : undefined
  const id =
    row?.id ??
    (
      await run.call<{ id: number }>(run.contextOf(undefined, group.at), 'POST /groups', {
        path: parts.at(-1),
        name: group.name ?? parts.at(-1),
        description: group.description,
        visibility: group.visibility,
        parent_id: parent?.id,
      })
    ).id
  if (!row) run.countCreated('groups')
  const owner = { kind: 'groups', id, at: group.at } as const
  await applyOwnerContent(run, owner, group)
  await applyVariables(run, owner, group.variables)
}

export async function applyOwnerContent(run: ApplyRun, owner: Owner, content: OwnerContent): Promise<void> {
  await applyMembers(run, owner, content.members)
  await applyLabels(run, owner, content.labels)
  await applyMilestones(run, owner, content.milestones)
}

async function applyMembers(
  run: ApplyRun,
  { kind, id, at }: Owner,
  members: OwnerContent['members'],
): Promise<void> {
  if (!members) return
  const rows = await run.all<{ id: number; access_level: number }>(`GET /${kind}/:id/members`, { id })
  const levels = new Map(rows.map((row) => [row.id, row.access_level]))
  for (const [username, levelName] of Object.entries(members)) {
    const user_id = run.idOf(username)
    const access_level = LEVELS[ACCESS.indexOf(levelName)]!
    const current = levels.get(user_id)
    if (current === access_level) run.countExisting('members')
    else
      await run.step(members, `the member ${username}`, async () => {
        await run.call(
          run.contextOf(undefined, at),
          current === undefined ? `POST /${kind}/:id/members` : `PUT /${kind}/:id/members/:user_id`,
          { id, user_id: current === undefined ? String(user_id) : user_id, access_level },
        )
        run.countCreated('members')
      })
  }
}

async function applyLabels(
  run: ApplyRun,
  { kind, id, at }: Owner,
  labels: OwnerContent['labels'],
): Promise<void> {
  if (!labels) return
  const rows = await run.all<{ name: string }>(`GET /${kind}/:id/labels`, { id })
  const names = new Set(rows.map(({ name }) => name))
  for (const label of labels) {
    const { name, color = '#6699cc', description } = label
    if (names.has(name)) run.countExisting('labels')
    else
      await run.step(label, `the label "${name}"`, async () => {
        await run.call(run.contextOf(undefined, at), `POST /${kind}/:id/labels`, {
          id,
          name,
          color,
          description,
        })
        run.countCreated('labels')
      })
  }
}

async function applyMilestones(
  run: ApplyRun,
  { kind, id, at }: Owner,
  milestones: OwnerContent['milestones'],
): Promise<void> {
  if (!milestones) return
  const rows = await run.all<{ id: number; title: string; state: string }>(`GET /${kind}/:id/milestones`, {
    id,
  })
  for (const milestone of milestones) {
    const { title, description, start_date, due_date, state } = milestone
    const ctx = run.contextOf(undefined, milestone.at ?? at)
    await run.step(milestone, `the milestone "${title}"`, async () => {
      let row = rows.find((entry) => entry.title === title)
      if (row) run.countExisting('milestones')
      else {
        row = await run.call<{ id: number; title: string; state: string }>(
          ctx,
          `POST /${kind}/:id/milestones`,
          { id, title, description, start_date, due_date },
        )
        run.countCreated('milestones')
      }
      if (state === 'closed' && row.state !== 'closed')
        await run.call(ctx, `PUT /${kind}/:id/milestones/:milestone_id`, {
          id,
          milestone_id: row.id,
          state_event: 'close',
        })
    })
  }
}

export async function applyVariables(
  run: ApplyRun,
  { kind, id, at }: Owner,
  variables: readonly Variable[] | undefined,
): Promise<void> {
  if (!variables) return
  const rows = await run.all<{ key: string; environment_scope: string }>(`GET /${kind}/:id/variables`, {
    id,
  })
  const keyOf = (variable: { key: string; environment_scope?: string | undefined }) =>
    `${variable.key} ${variable.environment_scope ?? '*'}`
  const keys = new Set(rows.map(keyOf))
  for (const variable of variables) {
    if (keys.has(keyOf(variable))) run.countExisting('variables')
    else
      await run.step(variable, `the variable ${variable.key}`, async () => {
        await run.call(run.contextOf(undefined, at), `POST /${kind}/:id/variables`, { id, ...variable })
        run.countCreated('variables')
      })
  }
}

/** Creates missing runners of the instance or of a project. Runners are compared by their description. */
export async function applyRunners(
  run: ApplyRun,
  project: number | undefined,
  runners: World['runners'],
): Promise<void> {
  if (!runners) return
  const rows =
    project === undefined
      ? await run.all<{ description: string }>('GET /runners/all', { type: 'instance_type' })
      : await run.all<{ description: string }>('GET /projects/:id/runners', {
          id: project,
          type: 'project_type',
        })
  const existing = new Set(rows.map(({ description }) => description))
  for (const runner of runners) await applyRunner(run, project, runner, existing)
}

async function applyRunner(
  run: ApplyRun,
  project: number | undefined,
  runner: WorldRunner,
  existing: ReadonlySet<string>,
): Promise<void> {
  const { description, tags, run_untagged, locked, paused } = runner
  if (existing.has(description)) return run.countExisting('runners')
  await run.step(runner, `the runner "${description}"`, () =>
    run.call(run.contextOf(undefined), 'POST /user/runners', {
      runner_type: project === undefined ? 'instance_type' : 'project_type',
      project_id: project,
      description,
      tag_list: tags,
      run_untagged: run_untagged ?? tags === undefined,
      locked,
      paused,
    }),
  )
  run.countCreated('runners')
}
