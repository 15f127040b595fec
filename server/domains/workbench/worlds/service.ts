import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { localCallsOf } from '../../../local-calls.ts'
import { findGroup } from '../../groups/index.ts'
import { pathProblem } from '../../namespaces/index.ts'
import { checkImportUrl, findProject } from '../../projects/index.ts'
import { userByUsername } from '../../users/index.ts'
import { applyGroup, applyRunners } from './apply/owners.ts'
import { applyUser } from './apply/people.ts'
import { applyProjectContent, createProject } from './apply/projects.ts'
import { ApplyRun, StepFailure, messageOf } from './apply/apply-run.ts'
import type { Count, WorldOutcome } from './entity.ts'
import { type Positions, type Problem, readWorld, expandRepeats } from './model/document.ts'
import { schemaProblems } from './model/problems.ts'
import type { ExistingObjects } from './model/problem-collector.ts'
import { referenceProblems } from './model/references.ts'
import { type World, worldSchema } from './model/schema.ts'
import { labels, milestones, type Owner } from './write/store.ts'
import { titleOf } from './write/store-issuables.ts'
import { needsFolder, type PackedFolders } from './service-folders.ts'

/** A valid world, and the positions of its values in the text. */
interface CheckedWorld {
  readonly world: World
  readonly positions: Positions
}

/** The error for a world with problems. `done` counts the created objects if a step failed. */
export function refusal(problems: readonly Problem[], done?: readonly Count[]): Failure {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column)
  const first = sorted[0]!
  const more = sorted.length > 1 ? ` (and ${sorted.length - 1} more)` : ''
  const message = `line ${first.line}, column ${first.column}: ${first.message}${more}`
  const ending = done && ` The steps before it are done; correct the world and apply it again.`
  const body = { message: message + (ending ?? ''), errors: sorted, ...(done ? { done } : {}) }
  return new Failure(done ? 'unprocessable' : 'bad_request', message, { body })
}

/** Checks a world without changing anything. Throws 400 with all problems. */
export async function checkWorld(
  ctx: Ctx,
  text: string,
  folders: PackedFolders = new Map(),
): Promise<CheckedWorld> {
  const read = readWorld(text)
  if (read.problems.length > 0) throw refusal(read.problems)
  const { positions } = read
  const { value, problems } = expandRepeats(read.value, positions)
  if (problems.length > 0) throw refusal(problems)
  const parsed = worldSchema.safeParse(value)
  if (!parsed.success) throw refusal(schemaProblems(parsed.error.issues, value, positions))
  // The parsed value is a copy without positions; the original value has them.
  const world = value as World
  const mistakes = [
    ...referenceProblems(world, existingObjectsOf(ctx, folders), positions),
    ...(await settingProblems(ctx, world, positions)),
  ]
  if (mistakes.length > 0) throw refusal(mistakes)
  const unreachable = await addressProblems(ctx, world, positions)
  if (unreachable.length > 0) throw refusal(unreachable)
  return { world, positions }
}

function existingObjectsOf(ctx: Ctx, folders: PackedFolders): ExistingObjects {
  const { db } = ctx
  /** The titles that a project and its groups have. */
  const readTitles = (path: string, titles: (db: Database, owner: Owner) => readonly { title: string }[]) => {
    const parts = path.split('/').slice(0, -1)
    const groups = parts.flatMap((_, index) => findGroup(ctx, parts.slice(0, index + 1).join('/')) ?? [])
    const owners: Owner[] = groups.map(({ id }) => ({ kind: 'group', id }))
    const project = findProject(ctx, path)
    if (project) owners.push({ kind: 'project', id: project.id })
    return new Set(owners.flatMap((owner) => titles(db, owner)).map(({ title }) => title))
  }
  const titlesOf = (titles: Parameters<typeof readTitles>[1]) => {
    const cache = new Map<string, ReadonlySet<string>>()
    return (path: string): ReadonlySet<string> => {
      const found = cache.get(path) ?? readTitles(path, titles)
      cache.set(path, found)
      return found
    }
  }
  return {
    user: (username) => userByUsername(db, username) !== undefined,
    group: (path) => findGroup(ctx, path) !== undefined,
    project: (path) => findProject(ctx, path) !== undefined,
    hasFolder: (path) => folders.has(path) || !needsFolder(findProject(ctx, path)),
    pathProblem: (projectRun, isFirst) => pathProblem(projectRun, isFirst ? 'top' : 'below'),
    labels: titlesOf(labels),
    milestones: titlesOf(milestones),
    titleOf: (path, kind, iid) => {
      const project = findProject(ctx, path)
      return project && titleOf(db, kind, project.id, iid)
    },
  }
}

async function settingProblems(ctx: Ctx, world: World, positions: Positions): Promise<Problem[]> {
  const calls = localCallsOf(ctx.db)
  const problemsOf = async (
    route: string,
    settings: World['settings'],
    path: readonly PropertyKey[],
  ): Promise<Problem[]> =>
    Object.entries(await calls.problems(route, settings ?? {})).map(([name, message]) => {
      const at = positions.find(world, [...path, name], message === 'is not known' ? 'key' : 'value')
      return { ...at, path: [...path, name].join('.'), message: `The setting "${name}" ${message}.` }
    })
  const problems = await Promise.all([
    problemsOf('PUT /application/settings', world.settings, ['settings']),
    ...(world.projects ?? []).map((project, index) =>
      problemsOf('PUT /projects/:id', project.settings, ['projects', index, 'settings']),
    ),
  ])
  return problems.flat()
}

/** Checks that every git address has a repository. Each request has a time limit. */
async function addressProblems(ctx: Ctx, world: World, positions: Positions): Promise<Problem[]> {
  const checks = (world.projects ?? []).map(async ({ git, path }, index): Promise<Problem[]> => {
    if (git === undefined || findProject(ctx, path)) return []
    try {
      await checkImportUrl(ctx, git)
      return []
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const at = positions.find(world, ['projects', index, 'git'])
      return [{ ...at, path: `projects[${index}].git`, message: `${git}: ${messageOf(error)}` }]
    }
  })
  return (await Promise.all(checks)).flat()
}

/** Options for applying a world. */
export interface ApplyOptions {
  /** Only checks the world. */
  readonly isDryRun: boolean
  readonly folders: PackedFolders
}

/**
 * Applies a world, or only checks it. Throws 400 for an invalid one, 409 while another is applied, 422 if a step fails.
 */
export async function applyWorld(
  ctx: Ctx,
  text: string,
  { isDryRun, folders }: ApplyOptions,
): Promise<WorldOutcome> {
  const start = performance.now()
  const state = ctx.db.instance('workbench.worlds', () => ({ isBusy: false }))
  if (state.isBusy && !isDryRun)
    throw fail('conflict', 'Another world is being applied; please try again later.')
  if (!isDryRun) state.isBusy = true
  try {
    const { world, positions } = await checkWorld(ctx, text, folders)
    const counts = isDryRun
      ? countsOf(world)
      : await performSteps(new ApplyRun(ctx, positions, { folders }), world)
    const withMissingFolder = (world.projects ?? []).filter(
      ({ folder, path }) => folder !== undefined && needsFolder(findProject(ctx, path)),
    )
    return {
      dry_run: isDryRun,
      title: world.title ?? null,
      counts,
      folders: withMissingFolder.map(({ path }) => path),
      milliseconds: Math.round(performance.now() - start),
    }
  } finally {
    if (!isDryRun) state.isBusy = false
  }
}

function countsOf(world: World): Count[] {
  const counts = new Map<string, number>()
  const add = (kind: string, count: number | undefined) =>
    count && counts.set(kind, (counts.get(kind) ?? 0) + count)
  for (const kind of ['users', 'groups', 'projects'] as const) add(kind, world[kind]?.length)
  for (const project of world.projects ?? [])
    for (const kind of [
      'labels',
      'milestones',
      'commits',
      'branches',
      'tags',
      'issues',
      'merge_requests',
      'runners',
      'pipelines',
      'environments',
      'releases',
      'hooks',
      'wiki',
    ] as const)
      add(kind, project[kind]?.length)
  return [...counts].map(([kind, made]) => ({ kind, made, kept: 0 }))
}

async function performSteps(run: ApplyRun, world: World): Promise<Count[]> {
  try {
    if (world.settings)
      await run.step(world.settings, 'the settings', () =>
        run.call(run.contextOf(undefined), 'PUT /application/settings', world.settings!),
      )
    for (const user of world.users ?? [])
      await run.step(user, `the user ${user.username}`, () => applyUser(run, user))
    const groups = (world.groups ?? []).toSorted(
      (a, b) => a.path.split('/').length - b.path.split('/').length,
    )
    for (const group of groups) await run.step(group, `the group ${group.path}`, () => applyGroup(run, group))
    await applyRunners(run, undefined, world.runners)
    await applyProjects(run, world)
    await run.waitForJobs()
    await run.ctx.db.stored()
    return run.counts
  } catch (error) {
    if (error instanceof StepFailure) throw refusal([error.problem], run.counts)
    throw error
  }
}

/** The number of projects with content that is created at a time, because each project mostly waits for git. */
const AT_ONCE = 4

/**
 * Creates the projects in the order of the text, so that their IDs have the same order. Creates the content of several
 * projects at a time.
 */
async function applyProjects(run: ApplyRun, world: World): Promise<void> {
  const tasks = new Set<Promise<void>>()
  let failed: unknown
  for (const project of world.projects ?? []) {
    const description = `the project ${project.path}`
    const projectRun = run.withOwnJobs()
    const isNew = await projectRun.step(project, description, () => createProject(projectRun, project))
    const task = projectRun
      .step(project, description, () => applyProjectContent(projectRun, project, isNew))
      .catch((error: unknown) => void (failed ??= error))
      .finally(() => tasks.delete(task))
    tasks.add(task)
    if (tasks.size >= AT_ONCE) await Promise.race(tasks)
    if (failed !== undefined) break
  }
  await Promise.all(tasks)
  if (failed !== undefined) throw failed
}
