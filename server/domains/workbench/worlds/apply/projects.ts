import { findGroup } from '../../../groups/index.ts'
import { fillFromFolder } from '../../../importers/index.ts'
import { findProject, type Project } from '../../../projects/index.ts'
import { inRepository } from '../../../projects/index.ts'
import { refTarget } from '../../../../git/read/revisions.ts'
import { Failure } from '../../../../lib/fail.ts'
import type { WorldProject } from '../model/schema.ts'
import { needsFolder } from '../service-folders.ts'
import { applyDeployments, applyPipelines, applyReleases } from './ci-and-releases.ts'
import { History } from './history.ts'
import { applyIssues } from './issues.ts'
import { applyOwnerContent, applyRunners, applyVariables } from './owners.ts'
import { MergeRequests } from './merge-requests.ts'
import type { ApplyRun } from './apply-run.ts'

/** Creates a missing project, and waits for the import of its repository. Returns true for a new project. */
export async function createProject(run: ApplyRun, world: WorldProject): Promise<boolean> {
  const { path } = world
  const row = findProject(run.ctx, path)
  if (row) run.countExisting('projects')
  else {
    await requestProject(run, world)
    run.countCreated('projects')
  }
  const label = `the project ${path}`
  if (world.git !== undefined) await run.step(world, label, () => waitForImport(run, world), 'git')
  if (world.folder !== undefined) await run.step(world, label, () => importFolder(run, world), 'folder')
  return row === undefined
}

/** Creates the content of a project. A new project has no issues and refs that would have to be read first. */
export async function applyProjectContent(run: ApplyRun, world: WorldProject, isNew: boolean): Promise<void> {
  const { path } = world
  const id = findProject(run.ctx, path)!.id
  const owner = { kind: 'projects', id, at: world.at } as const
  await applyOwnerContent(run, owner, world)
  const history = await withoutPipelines(run, world, id, (inner) => applyCode(inner, world, id, isNew))
  // These are refused while pipelines are off.
  await applyVariables(run, owner, world.variables)
  await applyRunners(run, id, world.runners)
  await applyPipelines(run, world, id, history)
  await applyDeployments(run, world, id)
  await applyHooksWikiAndStars(run, world, id)
}

async function requestProject(run: ApplyRun, world: WorldProject): Promise<void> {
  const parts = world.path.split('/')
  const parent = parts.slice(0, -1).join('/')
  const group = findGroup(run.ctx, parent)
  const { name, description, visibility, topics, default_branch, settings, git, creator } = world
  const input = {
    path: parts.at(-1),
    name: name ?? parts.at(-1),
    description,
    visibility,
    topics: topics?.join(','),
    default_branch,
    import_url: git,
    ...settings,
  }
  if (group) {
    await run.call(run.contextOf(creator, world.at), 'POST /projects', { ...input, namespace_id: group.id })
  } else {
    await run.call(run.contextOf(undefined, world.at), 'POST /projects/user/:user_id', {
      ...input,
      user_id: run.idOf(parent),
    })
  }
}

/** Waits until the repository is imported. Throws if the import failed. */
async function waitForImport(run: ApplyRun, { path }: WorldProject): Promise<void> {
  const isUnderWay = ['scheduled', 'started'].includes(findProject(run.ctx, path)!.import_status)
  if (isUnderWay) await run.waitForAllJobs()
  const project = findProject(run.ctx, path)
  if (project?.import_status === 'finished' || project?.import_status === 'none') return
  throw new Failure(
    'unprocessable',
    `the import failed (${project?.import_error ?? project?.import_status ?? 'none'})`,
  )
}

/** Imports the folder into an empty project, or waits for the import that an earlier run started. */
async function importFolder(run: ApplyRun, world: WorldProject): Promise<void> {
  const { path, creator, at, folder } = world
  const project = findProject(run.ctx, path)!
  if (needsFolder(project)) {
    const packed = run.folders.get(path)
    if (!packed) throw new Failure('unprocessable', `the folder ${folder} was not sent`)
    const ctx = run.contextOf(creator, at)
    await fillFromFolder(ctx, project.id, { kind: packed.kind, folder: packed.folder, at: ctx.now }, packed)
  }
  await waitForImport(run, world)
}

/**
 * True if pushes and merge requests could start pipelines. An imported repository may have a configuration, because
 * the world does not describe its content.
 */
const hasConfig = ({ files, commits, git, folder }: WorldProject) =>
  git !== undefined || folder !== undefined || JSON.stringify([files, commits]).includes('.gitlab-ci.yml')

/**
 * Runs `work` while pipelines are disabled. The world describes the pipelines, so its pushes and merge requests must
 * start none. Pipelines stay disabled until the jobs of the writes have ended. A run that is interrupted leaves them
 * disabled.
 */
async function withoutPipelines<T>(
  run: ApplyRun,
  world: WorldProject,
  id: number,
  work: (run: ApplyRun) => Promise<T>,
): Promise<T> {
  const { builds_access_level: before } = findProject(run.ctx, String(id))!
  const after = before === 'disabled' ? (world.settings?.builds_access_level ?? 'enabled') : before
  if (!hasConfig(world) || after === 'disabled') return work(run)
  const change = (builds_access_level: unknown) =>
    run.call(run.contextOf(undefined, world.at), 'PUT /projects/:id', { id, builds_access_level })
  let isOff = before === 'disabled'
  if (isOff) await run.waitForAllJobs()
  const disablePipelines = async () => {
    if (isOff) return
    isOff = true
    await change('disabled')
  }
  try {
    return await work(run.withBeforeWrite(disablePipelines))
  } finally {
    if (isOff) {
      await run.waitForJobs()
      await change(after)
    }
  }
}

async function applyCode(run: ApplyRun, world: WorldProject, id: number, isNew: boolean): Promise<History> {
  const project = findProject(run.ctx, String(id)) as Project
  const history = new History(run, project, world, isNew)
  const requests = new MergeRequests(run, world, id, history.main)
  await applyIssues(run, world, id, isNew)
  await history.apply(requests)
  await applyRefs(run, world, project, { history, merged: await requests.mergedBranches() })
  await requests.apply()
  await applyReleases(run, world, id, history)
  return history
}

async function applyRefs(
  run: ApplyRun,
  world: WorldProject,
  project: Project,
  { history, merged }: { history: History; merged: ReadonlyMap<string, string> },
): Promise<void> {
  const { branches = [], tags = [] } = world
  const { id } = project
  if (branches.length + tags.length === 0) return
  await inRepository(run.ctx, project, async (repo) => {
    for (const branch of branches) {
      // The merge may have removed the branch.
      if (merged.has(branch.name) || (await refTarget(repo, `refs/heads/${branch.name}`)) !== null)
        run.countExisting('branches')
      else
        await run.step(branch, `the branch ${branch.name}`, async () => {
          const ref = (await history.find(repo, branch.ref ?? history.main)) ?? undefined
          await run.call(run.contextOf(undefined, branch.at), 'POST /projects/:id/repository/branches', {
            id,
            branch: branch.name,
            ref,
          })
          run.countCreated('branches')
        })
    }
    for (const tag of tags) {
      if ((await refTarget(repo, `refs/tags/${tag.name}`)) !== null) run.countExisting('tags')
      else
        await run.step(tag, `the tag ${tag.name}`, async () => {
          const ref = (await history.find(repo, tag.ref ?? history.main)) ?? undefined
          await run.call(run.contextOf(tag.author, tag.at), 'POST /projects/:id/repository/tags', {
            id,
            tag_name: tag.name,
            ref,
            message: tag.message,
          })
          run.countCreated('tags')
        })
    }
  })
}

async function applyHooksWikiAndStars(run: ApplyRun, world: WorldProject, id: number): Promise<void> {
  const { hooks = [], wiki = [], stars = [], archived } = world
  if (hooks.length > 0) {
    const rows = await run.all<{ url: string }>('GET /projects/:id/hooks', { id })
    for (const hook of hooks) {
      if (rows.some(({ url }) => url === hook.url)) run.countExisting('hooks')
      else
        await run.step(hook, `the hook ${hook.url}`, async () => {
          const { url, token, enable_ssl_verification, events = ['push'] } = hook
          const flags = Object.fromEntries(
            ['push', ...events].map((name) => [`${name}_events`, (events as string[]).includes(name)]),
          )
          await run.call(run.contextOf(undefined, world.at), 'POST /projects/:id/hooks', {
            id,
            url,
            token,
            enable_ssl_verification,
            ...flags,
          })
          run.countCreated('hooks')
        })
    }
  }
  if (wiki.length > 0) {
    const rows = await run.call<{ title: string }[]>(run.contextOf(undefined), 'GET /projects/:id/wikis', {
      id,
    })
    for (const page of wiki) {
      if (rows.some(({ title }) => title === page.title)) run.countExisting('wiki')
      else
        await run.step(page, `the wiki page "${page.title}"`, async () => {
          const { title, content, author, at } = page
          await run.call(run.contextOf(author, at ?? world.at), 'POST /projects/:id/wikis', {
            id,
            title,
            content,
          })
          run.countCreated('wiki')
        })
    }
  }
  if (stars.length > 0) {
    const rows = await run.all<{ user: { username: string } }>('GET /projects/:id/starrers', { id })
    const names = new Set(rows.map(({ user }) => user.username))
    for (const username of stars) {
      if (names.has(username)) run.countExisting('stars')
      else {
        await run.step(stars, `the star of ${username}`, () =>
          run.call(run.contextOf(username), 'POST /projects/:id/star', { id }),
        )
        run.countCreated('stars')
      }
    }
  }
  if (archived && !findProject(run.ctx, String(id))!.archived)
    await run.call(run.contextOf(undefined), 'POST /projects/:id/archive', { id })
}
