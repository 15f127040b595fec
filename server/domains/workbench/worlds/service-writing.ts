import type { Ctx } from '../../../ctx.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { Authors, usersOf } from './write/people.ts'
import { groupOf, runnersOf, settingsOf } from './write/owners.ts'
import { type Groups, writeProject } from './write/projects.ts'
import { WorldWriter } from './write/world-writer.ts'
import { fits, YamlOutput } from './write/yaml-output.ts'
import { notDescribed } from './write/store-omissions.ts'
import * as store from './write/store.ts'

/** The groups and projects to write, by full path or id; by default all. */
export interface Selection {
  readonly projects?: readonly string[] | undefined
  readonly groups?: readonly string[] | undefined
}

/** The number of projects that are read at a time, because reading mostly waits for git. */
const AT_ONCE = 4

const HEAD = [
  'An instance of Deskforge as a world. Apply it with: deskforge world apply FILE',
  'Left out everywhere: passwords and tokens of users, of which only hashes are stored; secrets of webhooks; masked variables.',
  'The user who applies it becomes owner of its groups, and the author of actions that other users may not do.',
]

/**
 * Writes an instance, or the selected groups and projects, as the YAML text of a world. Throws 404, or 409 while
 * another is written.
 */
export async function writeWorld(ctx: Ctx, selection: Selection): Promise<string> {
  const state = ctx.db.instance('workbench.writing', () => ({ isBusy: false }))
  if (state.isBusy) throw fail('conflict', 'A world is being written; please try again later.')
  state.isBusy = true
  try {
    return await write(ctx, selection)
  } finally {
    state.isBusy = false
  }
}

async function write(ctx: Ctx, selection: Selection): Promise<string> {
  const writer = new WorldWriter(ctx)
  const selected = select(ctx, selection)
  const groups = new YamlOutput()
  const groupNames = await writeGroups(writer, groups, selected.groups)
  const projects = new YamlOutput()
  await writeProjects(writer, projects, selected.projects, groupNames)
  const head = new YamlOutput()
  if (!selected.isPart) {
    head.value('settings', settingsOf(writer), '')
    await head.list('runners', runnersOf(writer), '')
  }
  const projectIds = selected.isPart ? selected.projects.map(({ id }) => id) : undefined
  for (const { kind, count } of notDescribed(ctx.db, projectIds)) writer.omissions.add(kind, undefined, count)
  await head.list('users', usersOf(writer, selected.isPart ? 'named' : 'all'), '')
  const omissionLines = writer.omissions.lines()
  const notes =
    omissionLines.length === 0
      ? HEAD
      : [...HEAD, 'Left out here:', ...omissionLines.map((line) => `- ${line}`)]
  const comment = notes.map((line) => `# ${line}\n`).join('')
  const text = comment + head.text + groups.text + projects.text
  // A world needs at least one key.
  return head.text + groups.text + projects.text === '' ? `${comment}users: []\n` : text
}

interface SelectedObjects {
  readonly groups: readonly store.GroupRow[]
  readonly projects: readonly { id: number; path: string }[]
  readonly isPart: boolean
}

function select({ db }: Ctx, selection: Selection): SelectedObjects {
  const [groups, projects] = [store.groups(db), store.projects(db)]
  const paths = [...(selection.groups ?? []), ...(selection.projects ?? [])]
  if (paths.length === 0) return { groups, projects, isPart: false }
  const isNamed = (name: string, id: number, path: string) =>
    /^\d+$/.test(name) ? Number(name) === id : name.toLowerCase() === path.toLowerCase()
  const groupPaths = (selection.groups ?? []).map((name) => {
    const group = groups.find((row) => isNamed(name, row.id, row.full_path))
    if (!group) throw notFound('Group')
    return group.full_path
  })
  const projectIds = (selection.projects ?? []).map((name) => {
    const project = projects.find((row) => isNamed(name, row.id, row.path))
    if (!project) throw notFound('Project')
    return project.id
  })
  const isBelow = (path: string) =>
    groupPaths.some((groupPath) => path === groupPath || path.startsWith(`${groupPath}/`))
  const selectedProjects = projects.filter(({ id, path }) => projectIds.includes(id) || isBelow(path))
  const selectedPaths = [...groupPaths, ...selectedProjects.map(({ path }) => path)]
  const isNeeded = (path: string) =>
    isBelow(path) || selectedPaths.some((candidate) => candidate.startsWith(`${path}/`))
  return { groups: groups.filter((row) => isNeeded(row.full_path)), projects: selectedProjects, isPart: true }
}

async function writeGroups(
  writer: WorldWriter,
  output: YamlOutput,
  rows: readonly store.GroupRow[],
): Promise<Groups> {
  const byPath = new Map<string, { members: undefined; labels: string[]; milestones: string[] }>()
  if (rows.length > 0) output.open('groups:', '')
  for (const row of rows) {
    const group = await groupOf(writer, row)
    byPath.set(row.full_path, {
      members: group.members as undefined,
      labels: group.labels?.map(({ name }) => name) ?? [],
      milestones: group.milestones?.map(({ title }) => title) ?? [],
    })
    await output.entry('-', group, '  ')
  }
  return byPath
}

/**
 * Reads several projects at a time and writes them in their order. Leaves out a project that no longer fits into the
 * size limit.
 */
async function writeProjects(
  writer: WorldWriter,
  output: YamlOutput,
  rows: SelectedObjects['projects'],
  groups: Groups,
): Promise<void> {
  if (rows.length > 0) output.open('projects:', '')
  const authors = new Authors(writer)
  const read = async ({ id, path }: { id: number; path: string }) => {
    const [projectWriter, projectOutput] = [writer.forPart(), new YamlOutput()]
    writer.ctx.signal.throwIfAborted()
    if (!output.isFull) await writeProject(projectWriter, projectOutput, { id, path, groups, authors })
    return { projectWriter, projectOutput, path }
  }
  const reads: ReturnType<typeof read>[] = []
  const queue = [...rows]
  const startReads = () => {
    while (reads.length < AT_ONCE && queue.length > 0) reads.push(read(queue.shift()!))
  }
  try {
    for (startReads(); reads.length > 0; startReads()) {
      const { projectWriter, projectOutput, path } = await reads.shift()!
      if (!fits(output.size, projectOutput.size))
        writer.omissions.add('projects beyond the size limit of a world', path)
      else if (projectOutput.size.bytes > 0) {
        output.add(projectOutput)
        writer.omissions.addAll(projectWriter.omissions)
      }
    }
  } finally {
    // Waits for started reads before the writing ends.
    await Promise.allSettled(reads)
  }
}
