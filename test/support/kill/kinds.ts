import { createHash } from 'node:crypto'

import { ask, until, type Target } from './client.ts'
import { inProject, kind, type Kind } from './kind.ts'
import { worlds } from './worlds.ts'

/** True if the branch `main` of a project can be read, so that its repository exists. */
async function hasMain(at: Target, project: number): Promise<boolean> {
  const { status } = await ask(at, 'GET', `/projects/${project}/repository/branches/main`)
  return status === 200
}

/** Waits until a project was filled; an interrupted import continues automatically. */
async function isFilled(at: Target, project: number): Promise<boolean> {
  const status = await until(async () => {
    const { body } = await ask(at, 'GET', `/projects/${project}/import`)
    return ['finished', 'failed'].includes(body?.import_status) ? (body.import_status as string) : undefined
  }, `The end of the import of project ${project}`)
  return status === 'finished' && (await hasMain(at, project))
}

const projects = kind(
  'projects',
  async (at, name) => {
    const initialize_with_readme = name.length % 2 === 0
    const made = await ask(at, 'POST', '/projects', { name, initialize_with_readme })
    if (made.status !== 201) return undefined
    return { id: made.body.id as number, name, initialize_with_readme }
  },
  async (at, { id, name, initialize_with_readme }) => {
    const { body } = await ask(at, 'GET', `/projects/${id}`)
    return body?.name === name && (!initialize_with_readme || (await hasMain(at, id)))
  },
)

const edits = kind(
  'edits',
  async (at, name) => {
    const issue = await ask(at, 'POST', inProject(at, '/issues'), { title: name })
    const edited = await ask(at, 'PUT', inProject(at, `/issues/${issue.body.iid}`), { description: name })
    return edited.status === 200 ? { iid: issue.body.iid as number, name } : undefined
  },
  async (at, { iid, name }) =>
    (await ask(at, 'GET', inProject(at, `/issues/${iid}`))).body?.description === name,
)

const removals = kind(
  'removals of projects',
  async (at, name) => {
    const made = await ask(at, 'POST', '/projects', { name, initialize_with_readme: true })
    if (made.status !== 201) return undefined
    const { status } = await ask(at, 'DELETE', `/projects/${made.body.id}`)
    return status === 202 ? (made.body.id as number) : undefined
  },
  async (at, id) => (await ask(at, 'GET', `/projects/${id}`)).status === 404,
)

const files = kind(
  'commits',
  async (at, name) => {
    const path = `files/${name}.txt`
    const target = inProject(at, `/repository/files/${encodeURIComponent(path)}`)
    const params = { branch: 'main', content: name, commit_message: `Add ${name}` }
    return (await ask(at, 'POST', target, params)).status === 201 ? path : undefined
  },
  async (at, path) => {
    const target = inProject(at, `/repository/files/${encodeURIComponent(path)}?ref=main`)
    return (await ask(at, 'GET', target)).status === 200
  },
)

const merges = kind(
  'merges',
  async (at, name) => {
    const branch = `merge-${name}`
    await ask(at, 'POST', inProject(at, '/repository/commits'), {
      branch,
      start_branch: 'main',
      commit_message: branch,
      actions: [{ action: 'create', file_path: `merges/${branch}.txt`, content: branch }],
    })
    const params = {
      source_branch: branch,
      target_branch: 'main',
      title: branch,
      squash: name.length % 2 === 1,
    }
    const { body } = await ask(at, 'POST', inProject(at, '/merge_requests'), params)
    const merged = await ask(at, 'PUT', inProject(at, `/merge_requests/${body.iid}/merge`))
    return merged.status === 200 ? (body.iid as number) : undefined
  },
  async (at, iid) => (await ask(at, 'GET', inProject(at, `/merge_requests/${iid}`))).body?.state === 'merged',
)

/** Opens a merge request into a separate branch; both branches add the same file. */
async function conflicting(at: Target, branch: string): Promise<number> {
  for (const name of [branch, `${branch}-target`])
    await ask(at, 'POST', inProject(at, '/repository/commits'), {
      branch: name,
      start_branch: 'main',
      commit_message: name,
      actions: [{ action: 'create', file_path: `conflicts/${branch}.txt`, content: name }],
    })
  const params = { source_branch: branch, target_branch: `${branch}-target`, title: branch }
  const { body } = await ask(at, 'POST', inProject(at, '/merge_requests'), params)
  return body.iid as number
}

const resolutions = kind(
  'resolutions of conflicts',
  async (at, name) => {
    const branch = `resolve-${name}`
    const iid = await conflicting(at, branch)
    const path = `/-/projects/${at.project}/merge_requests/${iid}/conflicts`
    const { body } = await ask(at, 'GET', path)
    const { status, body: made } = await ask(at, 'POST', `${path}/resolve`, {
      source_sha: body.source_sha,
      target_sha: body.target_sha,
      commit_message: `Resolve ${name}`,
      files: [{ path: `conflicts/${branch}.txt`, content: `resolved ${name}` }],
    })
    return status === 201 ? { iid, branch, commit: made.commit_id as string, name } : undefined
  },
  async (at, { iid, branch, commit, name }) => {
    const file = `/repository/files/${encodeURIComponent(`conflicts/${branch}.txt`)}/raw?ref=${branch}`
    const [tip, content, conflicts] = await Promise.all([
      ask(at, 'GET', inProject(at, `/repository/branches/${branch}`)),
      ask(at, 'GET', inProject(at, file)),
      ask(at, 'GET', `/-/projects/${at.project}/merge_requests/${iid}/conflicts`),
    ])
    return (
      tip.body?.commit?.id === commit &&
      content.bytes.toString() === `resolved ${name}` &&
      conflicts.body?.message === 'There are no conflicts to resolve.'
    )
  },
)

const forks = kind(
  'forks',
  async (at, name) => {
    const made = await ask(at, 'POST', inProject(at, '/fork'), { name, path: name })
    return made.status === 201 ? (made.body.id as number) : undefined
  },
  isFilled,
)

const imports = kind(
  'imports from addresses',
  async (at, name) => {
    const made = await ask(at, 'POST', '/projects', { name, import_url: at.source })
    return made.status === 201 ? (made.body.id as number) : undefined
  },
  isFilled,
)

const archives = kind(
  'imports of archives',
  async (at, name) => {
    const form = new FormData()
    form.set('path', name)
    form.set('file', at.archive, 'export.tar.gz')
    const made = await ask(at, 'POST', '/projects/import', form)
    return made.status === 201 ? (made.body.id as number) : undefined
  },
  isFilled,
)

const wikis = kind(
  'pages of wikis',
  async (at, name) => {
    const params = { title: name, content: `About ${name}` }
    const made = await ask(at, 'POST', inProject(at, '/wikis'), params)
    return made.status === 201 ? (made.body.slug as string) : undefined
  },
  async (at, slug) =>
    (await ask(at, 'GET', inProject(at, `/wikis/${slug}`))).body?.content === `About ${slug}`,
)

const snippets = kind(
  'snippets',
  async (at, name) => {
    const file_path = `${name}.txt`
    const made = await ask(at, 'POST', '/snippets', {
      title: name,
      visibility: 'private',
      files: [{ file_path, content: 'first' }],
    })
    if (made.status !== 201) return undefined
    const changed = await ask(at, 'PUT', `/snippets/${made.body.id}`, {
      files: [{ action: 'update', file_path, content: 'second' }],
    })
    return changed.status === 200 ? (made.body.id as number) : undefined
  },
  async (at, id) => (await ask(at, 'GET', `/snippets/${id}/raw`)).bytes.toString() === 'second',
)

const uploads = kind(
  'uploads',
  async (at, name) => {
    const form = new FormData()
    form.set('file', new Blob([name]), `${name}.txt`)
    const made = await ask(at, 'POST', inProject(at, '/uploads'), form)
    return made.status === 201 ? { path: made.body.full_path as string, name } : undefined
  },
  async (at, { path, name }) =>
    (await ask(at, 'GET', `${at.url}${path}`, undefined, { 'private-token': at.token })).bytes.toString() ===
    name,
)

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

const avatars = kind(
  'avatars',
  async (at, name) => {
    const made = await ask(at, 'POST', '/projects', { name })
    if (made.status !== 201) return undefined
    let projectId: number | undefined
    for (const file of ['first.png', 'second.png']) {
      const form = new FormData()
      form.set('avatar', new Blob([Uint8Array.from(PNG), file]), file)
      const changed = await ask(at, 'PUT', `/projects/${made.body.id}`, form).catch(() => undefined)
      if (changed?.status === 200) projectId = made.body.id as number
    }
    return projectId
  },
  async (at, id) => {
    const { body } = await ask(at, 'GET', `/projects/${id}`)
    const { status, bytes } = await ask(at, 'GET', body.avatar_url as string, undefined, {
      'private-token': at.token,
    })
    const name = (body.avatar_url as string).split('/').at(-1)!
    return status === 200 && bytes.toString('latin1').endsWith(name)
  },
)

const defaultBranches = kind(
  'default branches',
  async (at, name) => {
    const made = await ask(at, 'POST', '/projects', { name, initialize_with_readme: true })
    if (made.status !== 201) return undefined
    await ask(at, 'POST', `/projects/${made.body.id}/repository/branches`, { branch: 'next', ref: 'main' })
    const changed = await ask(at, 'PUT', `/projects/${made.body.id}`, { default_branch: 'next' })
    return changed.status === 200 ? (made.body.id as number) : undefined
  },
  async (at, id) => (await ask(at, 'GET', `/projects/${id}`)).body?.default_branch === 'next',
)

const releases = kind(
  'releases',
  async (at, name) => {
    const tag_name = `v-${name}`
    const made = await ask(at, 'POST', inProject(at, '/releases'), { tag_name, ref: 'main', name })
    return made.status === 201 ? tag_name : undefined
  },
  async (at, tag) => {
    const [release, found] = await Promise.all([
      ask(at, 'GET', inProject(at, `/releases/${tag}`)),
      ask(at, 'GET', inProject(at, `/repository/tags/${tag}`)),
    ])
    return release.status === 200 && found.status === 200
  },
)

const LFS = 'application/vnd.git-lfs+json'

async function largeFile(at: Target, operation: 'upload' | 'download', content: string) {
  const object = { oid: createHash('sha256').update(content).digest('hex'), size: Buffer.byteLength(content) }
  const headers = {
    accept: LFS,
    'content-type': LFS,
    authorization: `Basic ${Buffer.from(`root:${at.token}`).toString('base64')}`,
  }
  const base = `${at.url}/root/killed.git/info/lfs/objects/batch`
  const params = { operation, transfers: ['basic'], objects: [object] }
  const { bytes } = await ask(at, 'POST', base, params, headers)
  const answer = JSON.parse(bytes.toString()) as {
    objects: { actions?: Record<string, { href: string; header: Record<string, string> }> }[]
  }
  return answer.objects[0]?.actions?.[operation]
}

const largeFiles = kind(
  'large files',
  async (at, name) => {
    const action = await largeFile(at, 'upload', name)
    if (!action) return undefined
    const sent = await ask(at, 'PUT', action.href, new Uint8Array(Buffer.from(name)), action.header)
    return sent.status === 200 ? name : undefined
  },
  async (at, name) => {
    const action = await largeFile(at, 'download', name)
    return (
      action !== undefined &&
      (await ask(at, 'GET', action.href, undefined, action.header)).bytes.toString() === name
    )
  },
)

const artifacts = kind(
  'artifacts of jobs',
  async (at, name) => {
    await ask(at, 'POST', inProject(at, '/pipeline'), { ref: 'main' })
    const { status, body } = await ask(at, 'POST', '/jobs/request', { token: at.runner })
    if (status !== 201) return undefined
    const form = new FormData()
    form.set('artifact_format', 'zip')
    form.set('artifact_type', 'archive')
    form.set('file', new Blob([name]), 'artifacts.zip')
    const sent = await ask(at, 'POST', `/jobs/${body.id}/artifacts?token=${body.token}`, form)
    if (sent.status !== 201) return undefined
    await ask(at, 'PUT', `/jobs/${body.id}`, { token: body.token as string, state: 'success' }).catch(
      () => undefined,
    )
    return { id: body.id as number, name }
  },
  async (at, { id, name }) =>
    (await ask(at, 'GET', inProject(at, `/jobs/${id}/artifacts`))).bytes.toString() === name,
)

const pushMirrors = kind(
  'pushes to mirrors',
  async (at, name) => {
    const made = await ask(at, 'POST', '/projects', { name, initialize_with_readme: true })
    if (made.status !== 201) return undefined
    const { url, tip } = await at.elsewhere()
    const path = `/projects/${made.body.id}`
    const mirror = await ask(at, 'POST', `${path}/remote_mirrors`, { url, enabled: true })
    if (mirror.status !== 201) return undefined
    const { status } = await ask(at, 'POST', `${path}/remote_mirrors/${mirror.body.id}/sync`)
    return status === 204 ? { id: made.body.id as number, tip } : undefined
  },
  async (at, { id, tip }) => {
    const { body } = await ask(at, 'GET', `/projects/${id}/repository/branches/main`)
    const same = async () => (tip() === body.commit.id ? true : undefined)
    return (await until(same, `The push of project ${id} to its mirror`)) === true
  },
)

const pullMirrors = kind(
  'pulls of mirrors',
  async (at, name) => {
    const made = await ask(at, 'POST', '/projects', { name, import_url: at.source, mirror: true })
    if (made.status !== 201 || !(await isFilled(at, made.body.id))) return undefined
    const { status } = await ask(at, 'POST', `/projects/${made.body.id}/mirror/pull`)
    return status === 200 ? (made.body.id as number) : undefined
  },
  async (at, id) => {
    const status = await until(async () => {
      const { body } = await ask(at, 'GET', `/projects/${id}/mirror/pull`)
      return ['finished', 'failed'].includes(body?.update_status) ? (body.update_status as string) : undefined
    }, `The pull of project ${id}`)
    return status === 'finished' && (await hasMain(at, id))
  },
)

const moves = kind(
  'moves of storages',
  async (at, name) => {
    const made = await ask(at, 'POST', '/projects', {
      name,
      initialize_with_readme: true,
      repository_storage: 'default',
    })
    if (made.status !== 201) return undefined
    const path = `/projects/${made.body.id}`
    await ask(at, 'POST', `${path}/wikis`, { title: 'home', content: name })
    const move = await ask(at, 'POST', `${path}/repository_storage_moves`, {
      destination_storage_name: 'other',
    })
    return move.status === 201
      ? { id: made.body.id as number, move: move.body.id as number, name }
      : undefined
  },
  async (at, { id, move, name }) => {
    const state = await until(async () => {
      const { body } = await ask(at, 'GET', `/projects/${id}/repository_storage_moves/${move}`)
      return ['finished', 'failed', 'cleanup failed'].includes(body.state)
        ? (body.state as string)
        : undefined
    }, `The move of project ${id}`)
    const { body } = await ask(at, 'GET', `/projects/${id}`)
    const page = await ask(at, 'GET', `/projects/${id}/wikis/home`)
    return (
      state === 'finished' &&
      body.repository_storage === 'other' &&
      page.body?.content === name &&
      (await hasMain(at, id))
    )
  },
)

const groupExports = kind(
  'exports of groups',
  async (at, name) => {
    const made = await ask(at, 'POST', '/groups', { name, path: name })
    if (made.status !== 201) return undefined
    const { status } = await ask(at, 'POST', `/groups/${made.body.id}/export`)
    return status === 202 ? (made.body.id as number) : undefined
  },
  async (at, id) => {
    const bytes = await until(async () => {
      const answer = await ask(at, 'GET', `/groups/${id}/export/download`)
      return answer.status === 200 ? answer.bytes : undefined
    }, `The archive of group ${id}`)
    return bytes.length > 0
  },
)

const groupImports = kind(
  'imports of groups',
  async (at, name) => {
    const form = new FormData()
    form.set('name', name)
    form.set('path', name)
    form.set('file', at.groupArchive, 'group.tar.gz')
    return (await ask(at, 'POST', '/groups/import', form)).status === 202 ? name : undefined
  },
  async (at, name) => {
    const status = await until(async () => {
      const { body } = await ask(at, 'GET', `${at.url}/-/groups/${name}/import_progress`, undefined, {
        'private-token': at.token,
      })
      return ['finished', 'failed'].includes(body?.status) ? (body.status as string) : undefined
    }, `The import of group ${name}`)
    const [labels, below, page] = await Promise.all([
      ask(at, 'GET', `/groups/${name}/labels`),
      ask(at, 'GET', `/groups/${encodeURIComponent(`${name}/below`)}`),
      ask(at, 'GET', `/groups/${name}/wikis/home`),
    ])
    return (
      status === 'finished' &&
      labels.body?.length === 1 &&
      below.status === 200 &&
      page.body?.content === 'Of the group'
    )
  },
)

/** All kinds of writes that a kill may interrupt. */
export const kinds: readonly Kind[] = [
  projects,
  files,
  forks,
  wikis,
  uploads,
  merges,
  imports,
  snippets,
  releases,
  artifacts,
  archives,
  avatars,
  pushMirrors,
  largeFiles,
  moves,
  edits,
  groupImports,
  removals,
  pullMirrors,
  groupExports,
  worlds,
  resolutions,
  defaultBranches,
]
