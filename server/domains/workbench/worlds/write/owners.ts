import { portableSettings } from '../../../settings/index.ts'
import type { World, WorldGroup, WorldLabel, WorldMilestone, WorldRunner } from '../model/schema.ts'
import { accessNameOf, type Entry, list, type Members, type WorldWriter, text, time } from './world-writer.ts'
import * as store from './store.ts'

type Variable = NonNullable<WorldGroup['variables']>[number]

/** The members, labels, milestones and variables of a group or project. */
export interface OwnerContent {
  readonly members: Members | undefined
  readonly labels: Entry<WorldLabel>[]
  readonly milestones: Entry<WorldMilestone>[]
  readonly variables: Entry<Variable>[]
}

export async function ownerContentOf(
  writer: WorldWriter,
  owner: store.Owner,
  path: string,
): Promise<OwnerContent> {
  return {
    members: membersOf(writer, owner, path),
    labels: labelsOf(writer, owner, path),
    milestones: milestonesOf(writer, owner),
    variables: await variablesOf(writer, owner, path),
  }
}

/**
 * The members to write. The user who applies a world becomes owner of its groups, and the owner of a personal namespace
 * owns its projects, so these memberships are left out.
 */
function membersOf(writer: WorldWriter, owner: store.Owner, path: string): Members | undefined {
  const { db, actor } = writer.ctx
  const members: Members = {}
  for (const { user_id, access_level } of store.members(db, owner)) {
    const level = accessNameOf(access_level)
    const user = writer.people.get(user_id)
    if (!user || (owner.kind === 'group' && user_id === actor.id)) continue
    if (owner.kind === 'project' && path.startsWith(`${user.username}/`) && level === 'owner') continue
    if (level === undefined) writer.omissions.add('members with levels that a world cannot describe', path)
    else members[writer.name(user_id)!] = level
  }
  return Object.keys(members).length === 0 ? undefined : members
}

function labelsOf(writer: WorldWriter, owner: store.Owner, path: string): Entry<WorldLabel>[] {
  return store.labels(writer.ctx.db, owner).flatMap(({ title, color, description }) => {
    if (!writer.checkName(title, 'labels', path)) return []
    return [{ name: title, color: color.toLowerCase(), description: text(description) }]
  })
}

function milestonesOf(writer: WorldWriter, owner: store.Owner): Entry<WorldMilestone>[] {
  return store.milestones(writer.ctx.db, owner).map((row) => ({
    title: row.title,
    description: text(row.description),
    start_date: text(row.start_date),
    due_date: text(row.due_date),
    state: row.state === 'closed' ? row.state : undefined,
    at: time(row.created_at),
  }))
}

async function variablesOf(
  writer: WorldWriter,
  owner: store.Owner,
  path: string,
): Promise<Entry<Variable>[]> {
  const { kind, id } = owner
  if (store.variableCount(writer.ctx.db, owner) === 0) return []
  interface Row {
    readonly key: string
    readonly value: string
    readonly protected: boolean
    readonly masked: boolean
    readonly raw: boolean
    readonly variable_type: string
    readonly environment_scope: string
  }
  const rows = await writer.all<Row>(`GET /${kind}s/:id/variables`, { id })
  return rows.flatMap((row): Entry<Variable>[] => {
    // A masked variable is a secret.
    if (row.masked || row.variable_type === 'file' || row.raw) {
      writer.omissions.add('variables that are masked, files, or not expanded', `${path} ${row.key}`)
      return []
    }
    if (!writer.checkName(row.environment_scope, 'variables', path)) return []
    return [
      {
        key: row.key,
        value: row.value,
        protected: row.protected || undefined,
        environment_scope: row.environment_scope === '*' ? undefined : row.environment_scope,
      },
    ]
  })
}

/** A group and its content. */
export async function groupOf(writer: WorldWriter, row: store.GroupRow): Promise<Entry<WorldGroup>> {
  const { path, full_path, name } = row
  const { members, labels, milestones, variables } = await ownerContentOf(
    writer,
    { kind: 'group', id: row.id },
    full_path,
  )
  return {
    path: full_path,
    name: name === path ? undefined : name,
    description: text(row.description),
    visibility: row.visibility,
    at: time(row.created_at),
    members,
    labels: list(labels),
    milestones: list(milestones),
    variables: list(variables),
  } as Entry<WorldGroup>
}

/** Runners of the instance, or of a project. */
export function runnersOf(writer: WorldWriter, project?: { id: number; path: string }): Entry<WorldRunner>[] {
  return store.runners(writer.ctx.db, project?.id).flatMap((row): Entry<WorldRunner>[] => {
    const description = row.description ?? ''
    if (!writer.checkName(description, 'runners', project?.path ?? 'the instance')) return []
    const tags = list(row.tag_list)
    return [
      {
        description,
        tags,
        run_untagged: row.run_untagged === (tags === undefined) ? undefined : row.run_untagged,
        locked: row.locked || undefined,
        paused: row.paused || undefined,
      },
    ]
  })
}

/** Settings of the instance that differ from their defaults. */
export function settingsOf(writer: WorldWriter): World['settings'] {
  const { settings, omitted } = portableSettings(writer.ctx)
  for (const name of omitted)
    writer.omissions.add('settings that are secret, or about this instance alone', name)
  return Object.keys(settings).length === 0 ? undefined : (settings as World['settings'])
}
