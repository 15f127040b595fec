import { findGroup } from '../../../groups/index.ts'
import { fillFromFolder } from '../../../importers/index.ts'
import { findProject, type Project } from '../../../projects/index.ts'
import { inRepository } from '../../../projects/index.ts'
import { refTarget } from '../../../../git/read/revisions.ts'
import { Failure } from '../../../../lib/fail.ts'
import type { WorldProject } from '../model/schema.ts'
import { needsFolder } from '../service-folders.ts'
import { applyDeliveries, applyPipelines, applyReleases } from './delivery.ts'
import { History } from './history.ts'
import { applyIssues } from './issues.ts'
import { applyOwned, applyRunners, applyVariables } from './owners.ts'
import { Requests } from './requests.ts'
import type { Stage } from './stage.ts'

/** Creates a missing project. */
export async function makeProject(stage: Stage, world: WorldProject): Promise<void> {
  const { path } = world
  const row = findProject(stage.ctx, path)
  if (row) stage.kept('projects')
  else {
    await create(stage, world)
    stage.made('projects')
  }
  const label = `the project ${path}`
  if (world.git !== undefined) await stage.step(world, label, () => imported(stage, world), 'git')
  if (world.folder !== undefined) await stage.step(world, label, () => importFolder(stage, world), 'folder')
}

/** Creates the content of a project. */
export async function fillProject(stage: Stage, world: WorldProject): Promise<void> {
  const { path } = world
  const id = findProject(stage.ctx, path)!.id
  const owner = { kind: 'projects', id, at: world.at } as const
  await applyOwned(stage, owner, world)
  const history = await withoutPipelines(stage, world, id, (inner) => applyCode(inner, world, id))
  // These are refused while pipelines are off.
  await applyVariables(stage, owner, world.variables)
  await applyRunners(stage, id, world.runners)
  await applyPipelines(stage, world, id, history)
  await applyDeliveries(stage, world, id)
  await applyRest(stage, world, id)
}

async function create(stage: Stage, world: WorldProject): Promise<void> {
  const parts = world.path.split('/')
  const parent = parts.slice(0, -1).join('/')
  const group = findGroup(stage.ctx, parent)
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
    await stage.call(stage.as(creator, world.at), 'POST /projects', { ...input, namespace_id: group.id })
  } else {
    await stage.call(stage.as(undefined, world.at), 'POST /projects/user/:user_id', {
      ...input,
      user_id: stage.idOf(parent),
    })
  }
}

/** Waits until the repository of the address or folder has arrived. A project that was there before has its own. */
async function imported(stage: Stage, { path }: WorldProject): Promise<void> {
  const isUnderWay = ['scheduled', 'started'].includes(findProject(stage.ctx, path)!.import_status)
  if (isUnderWay) await stage.earlierWorkDone()
  const project = findProject(stage.ctx, path)
  if (project?.import_status === 'finished' || project?.import_status === 'none') return
  throw new Failure(
    'unprocessable',
    `the import failed (${project?.import_error ?? project?.import_status ?? 'none'})`,
  )
}

/** Fills an empty project from its folder. Waits for a project that an earlier application still fills. */
async function importFolder(stage: Stage, world: WorldProject): Promise<void> {
  const { path, creator, at, folder } = world
  const project = findProject(stage.ctx, path)!
  if (needsFolder(project)) {
    const sent = stage.folders.get(path)
    if (!sent) throw new Failure('unprocessable', `the folder ${folder} was not sent`)
    const ctx = stage.as(creator, at)
    await fillFromFolder(ctx, project.id, { kind: sent.kind, folder: sent.folder, at: ctx.now }, sent)
  }
  await imported(stage, world)
}

/**
 * Whether pushes and merge requests could start pipelines. The world does not describe the content of an imported
 * repository, so it may have a configuration.
 */
const hasConfig = ({ files, commits, git, folder }: WorldProject) =>
  git !== undefined || folder !== undefined || JSON.stringify([files, commits]).includes('.gitlab-ci.yml')

/**
 * Runs `work` while pipelines are disabled. The world describes the pipelines, so its pushes and merge requests must
 * start none. Pipelines stay disabled until the background work of the writes has ended. An interrupted application
 * leaves them disabled.
 */
async function withoutPipelines<T>(
  stage: Stage,
  world: WorldProject,
  id: number,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const { builds_access_level: before } = findProject(stage.ctx, String(id))!
  const after = before === 'disabled' ? (world.settings?.builds_access_level ?? 'enabled') : before
  if (!hasConfig(world) || after === 'disabled') return work(stage)
  const change = (builds_access_level: unknown) =>
    stage.call(stage.as(undefined, world.at), 'PUT /projects/:id', { id, builds_access_level })
  let isOff = before === 'disabled'
  if (isOff) await stage.earlierWorkDone()
  const disablePipelines = async () => {
    if (isOff) return
    isOff = true
    await change('disabled')
  }
  try {
    return await work(stage.before(disablePipelines))
  } finally {
    if (isOff) {
      await stage.workDone()
      await change(after)
    }
  }
}

async function applyCode(stage: Stage, world: WorldProject, id: number): Promise<History> {
  const project = findProject(stage.ctx, String(id)) as Project
  const history = new History(stage, project, world)
  const requests = new Requests(stage, world, id, history.main)
  await applyIssues(stage, world, id)
  await history.apply(requests)
  await applyRefs(stage, world, project, { history, merged: await requests.merged() })
  await requests.apply()
  await applyReleases(stage, world, id, history)
  return history
}

async function applyRefs(
  stage: Stage,
  world: WorldProject,
  project: Project,
  { history, merged }: { history: History; merged: ReadonlyMap<string, string> },
): Promise<void> {
  const { branches = [], tags = [] } = world
  const { id } = project
  if (branches.length + tags.length === 0) return
  await inRepository(stage.ctx, project, async (repo) => {
    for (const branch of branches) {
      // Merging may have removed it.
      if (merged.has(branch.name) || (await refTarget(repo, `refs/heads/${branch.name}`)) !== null)
        stage.kept('branches')
      else
        await stage.step(branch, `the branch ${branch.name}`, async () => {
          const ref = (await history.find(repo, branch.ref ?? history.main)) ?? undefined
          await stage.call(stage.as(undefined, branch.at), 'POST /projects/:id/repository/branches', {
            id,
            branch: branch.name,
            ref,
          })
          stage.made('branches')
        })
    }
    for (const tag of tags) {
      if ((await refTarget(repo, `refs/tags/${tag.name}`)) !== null) stage.kept('tags')
      else
        await stage.step(tag, `the tag ${tag.name}`, async () => {
          const ref = (await history.find(repo, tag.ref ?? history.main)) ?? undefined
          await stage.call(stage.as(tag.author, tag.at), 'POST /projects/:id/repository/tags', {
            id,
            tag_name: tag.name,
            ref,
            message: tag.message,
          })
          stage.made('tags')
        })
    }
  })
}

async function applyRest(stage: Stage, world: WorldProject, id: number): Promise<void> {
  const { hooks = [], wiki = [], stars = [], archived } = world
  if (hooks.length > 0) {
    const rows = await stage.all<{ url: string }>('GET /projects/:id/hooks', { id })
    for (const hook of hooks) {
      if (rows.some(({ url }) => url === hook.url)) stage.kept('hooks')
      else
        await stage.step(hook, `the hook ${hook.url}`, async () => {
          const { url, token, enable_ssl_verification, events = ['push'] } = hook
          const flags = Object.fromEntries(
            ['push', ...events].map((name) => [`${name}_events`, (events as string[]).includes(name)]),
          )
          await stage.call(stage.as(undefined, world.at), 'POST /projects/:id/hooks', {
            id,
            url,
            token,
            enable_ssl_verification,
            ...flags,
          })
          stage.made('hooks')
        })
    }
  }
  if (wiki.length > 0) {
    const rows = await stage.call<{ title: string }[]>(stage.as(undefined), 'GET /projects/:id/wikis', { id })
    for (const page of wiki) {
      if (rows.some(({ title }) => title === page.title)) stage.kept('wiki')
      else
        await stage.step(page, `the wiki page "${page.title}"`, async () => {
          const { title, content, author, at } = page
          await stage.call(stage.as(author, at ?? world.at), 'POST /projects/:id/wikis', {
            id,
            title,
            content,
          })
          stage.made('wiki')
        })
    }
  }
  if (stars.length > 0) {
    const rows = await stage.all<{ user: { username: string } }>('GET /projects/:id/starrers', { id })
    const names = new Set(rows.map(({ user }) => user.username))
    for (const username of stars) {
      if (names.has(username)) stage.kept('stars')
      else {
        await stage.step(stars, `the star of ${username}`, () =>
          stage.call(stage.as(username), 'POST /projects/:id/star', { id }),
        )
        stage.made('stars')
      }
    }
  }
  if (archived && !findProject(stage.ctx, String(id))!.archived)
    await stage.call(stage.as(undefined), 'POST /projects/:id/archive', { id })
}
