import { findGroup } from '../../../groups/index.ts'
import {
  ACCESS,
  type World,
  type WorldGroup,
  type WorldLabel,
  type WorldMilestone,
  type WorldRunner,
} from '../model/schema.ts'
import type { Stage } from './stage.ts'

const LEVELS = [5, 10, 20, 30, 40, 50] as const

/** A project or group as the API names it. */
export interface Owner {
  readonly kind: 'projects' | 'groups'
  readonly id: number
  readonly at: string | undefined
}

interface Variable {
  readonly key: string
  readonly value: string
}

/** The data of a group or project that its content needs. */
export interface Owned {
  readonly members?: WorldGroup['members']
  readonly labels?: readonly WorldLabel[] | undefined
  readonly milestones?: readonly WorldMilestone[] | undefined
}

export async function applyGroup(stage: Stage, group: WorldGroup): Promise<void> {
  const { path } = group
  const row = findGroup(stage.ctx, path)
  if (row) stage.kept('groups')
  const parts = path.split('/')
  const parent = parts.length > 1 ? findGroup(stage.ctx, parts.slice(0, -1).join('/')) : undefined
  const id =
    row?.id ??
    (
      await stage.call<{ id: number }>(stage.as(undefined, group.at), 'POST /groups', {
        path: parts.at(-1),
        name: group.name ?? parts.at(-1),
        description: group.description,
        visibility: group.visibility,
        parent_id: parent?.id,
      })
    ).id
  if (!row) stage.made('groups')
  const owner = { kind: 'groups', id, at: group.at } as const
  await applyOwned(stage, owner, group)
  await applyVariables(stage, owner, group.variables)
}

export async function applyOwned(stage: Stage, owner: Owner, owned: Owned): Promise<void> {
  await applyMembers(stage, owner, owned.members)
  await applyLabels(stage, owner, owned.labels)
  await applyMilestones(stage, owner, owned.milestones)
}

async function applyMembers(stage: Stage, { kind, id, at }: Owner, members: Owned['members']): Promise<void> {
  if (!members) return
  const rows = await stage.all<{ id: number; access_level: number }>(`GET /${kind}/:id/members`, { id })
  const levels = new Map(rows.map((row) => [row.id, row.access_level]))
  for (const [username, word] of Object.entries(members)) {
    const user_id = stage.idOf(username)
    const access_level = LEVELS[ACCESS.indexOf(word)]!
    const now = levels.get(user_id)
    if (now === access_level) stage.kept('members')
    else
      await stage.step(members, `the member ${username}`, async () => {
        await stage.call(
          stage.as(undefined, at),
          now === undefined ? `POST /${kind}/:id/members` : `PUT /${kind}/:id/members/:user_id`,
          { id, user_id: now === undefined ? String(user_id) : user_id, access_level },
        )
        stage.made('members')
      })
  }
}

async function applyLabels(stage: Stage, { kind, id, at }: Owner, labels: Owned['labels']): Promise<void> {
  if (!labels) return
  const rows = await stage.all<{ name: string }>(`GET /${kind}/:id/labels`, { id })
  const names = new Set(rows.map(({ name }) => name))
  for (const label of labels) {
    const { name, color = '#6699cc', description } = label
    if (names.has(name)) stage.kept('labels')
    else
      await stage.step(label, `the label "${name}"`, async () => {
        await stage.call(stage.as(undefined, at), `POST /${kind}/:id/labels`, {
          id,
          name,
          color,
          description,
        })
        stage.made('labels')
      })
  }
}

async function applyMilestones(
  stage: Stage,
  { kind, id, at }: Owner,
  milestones: Owned['milestones'],
): Promise<void> {
  if (!milestones) return
  const rows = await stage.all<{ id: number; title: string; state: string }>(`GET /${kind}/:id/milestones`, {
    id,
  })
  for (const milestone of milestones) {
    const { title, description, start_date, due_date, state } = milestone
    const ctx = stage.as(undefined, milestone.at ?? at)
    await stage.step(milestone, `the milestone "${title}"`, async () => {
      let row = rows.find((entry) => entry.title === title)
      if (row) stage.kept('milestones')
      else {
        row = await stage.call<{ id: number; title: string; state: string }>(
          ctx,
          `POST /${kind}/:id/milestones`,
          { id, title, description, start_date, due_date },
        )
        stage.made('milestones')
      }
      if (state === 'closed' && row.state !== 'closed')
        await stage.call(ctx, `PUT /${kind}/:id/milestones/:milestone_id`, {
          id,
          milestone_id: row.id,
          state_event: 'close',
        })
    })
  }
}

export async function applyVariables(
  stage: Stage,
  { kind, id, at }: Owner,
  variables: readonly Variable[] | undefined,
): Promise<void> {
  if (!variables) return
  const rows = await stage.all<{ key: string; environment_scope: string }>(`GET /${kind}/:id/variables`, {
    id,
  })
  const keyOf = (variable: { key: string; environment_scope?: string | undefined }) =>
    `${variable.key} ${variable.environment_scope ?? '*'}`
  const keys = new Set(rows.map(keyOf))
  for (const variable of variables) {
    if (keys.has(keyOf(variable))) stage.kept('variables')
    else
      await stage.step(variable, `the variable ${variable.key}`, async () => {
        await stage.call(stage.as(undefined, at), `POST /${kind}/:id/variables`, { id, ...variable })
        stage.made('variables')
      })
  }
}

/** Runners of the instance or of a project, by their description. */
export async function applyRunners(
  stage: Stage,
  project: number | undefined,
  runners: World['runners'],
): Promise<void> {
  if (!runners) return
  const rows =
    project === undefined
      ? await stage.all<{ description: string }>('GET /runners/all', { type: 'instance_type' })
      : await stage.all<{ description: string }>('GET /projects/:id/runners', {
          id: project,
          type: 'project_type',
        })
  const existing = new Set(rows.map(({ description }) => description))
  for (const runner of runners) await applyRunner(stage, project, runner, existing)
}

async function applyRunner(
  stage: Stage,
  project: number | undefined,
  runner: WorldRunner,
  existing: ReadonlySet<string>,
): Promise<void> {
  const { description, tags, run_untagged, locked, paused } = runner
  if (existing.has(description)) return stage.kept('runners')
  await stage.step(runner, `the runner "${description}"`, () =>
    stage.call(stage.as(undefined), 'POST /user/runners', {
      runner_type: project === undefined ? 'instance_type' : 'project_type',
      project_id: project,
      description,
      tag_list: tags,
      run_untagged: run_untagged ?? tags === undefined,
      locked,
      paused,
    }),
  )
  stage.made('runners')
}
