import { record, type Kind } from '../../../server/domains/webhooks/index.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world, type World } from '../../support/world.ts'
import { receiver, type Received, type Receiver } from '../webhooks/receiver.ts'

/** Public hosts of vendors. In tests the receiver answers instead of them. */
const VENDOR_HOSTS = [
  'api.github.com',
  'api.flowdock.com',
  'api.pushover.net',
  'api.telegram.org',
  'app.asana.com',
  'atlas.assembla.com',
  'packagist.org',
  'reef.campfirenow.com',
  'webhook.buildkite.com',
  'webhook-intake.datadoghq.eu',
  'www.pivotaltracker.com',
]

/** An instance with a project, its integrations and a receiver. */
export interface Scene {
  readonly w: World
  readonly there: Receiver
  readonly clock: ReturnType<typeof frozenClock>
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly project: any
  /** URL of the page of the project. */
  readonly page: string
  /** Sets up one integration of the project and deactivates the earlier one. */
  only(slug: string, settings: object): Promise<number>
  /** Records an event for the project's integrations and returns the received requests. */
  deliver(kind: Kind, payload: object): Promise<Received[]>
  /** Returns the log of the integration that was set up last, newest first. */
  log(): { method: string; url: string; response_status: number | null; error: string | null }[]
}

/** `hookTimeoutMs` is the time limit of receivers. The first request is slow on a busy machine. */
export async function scene({ hookTimeoutMs = 5000 } = {}): Promise<Scene> {
  const clock = frozenClock('2026-03-01T10:00:00.000Z')
  const there = await receiver()
  const w = await world({
    clock,
    hookTimeoutMs,
    vendorHosts: Object.fromEntries(VENDOR_HOSTS.map((host) => [host, `${there.url}/${host}`])),
  })
  const root = w.as(w.root)
  await root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  const group = await w.make.group({ name: 'Reef', path: 'reef' })
  const project = await w.make.project({ name: 'Kelp', path: 'kelp', namespace_id: group.id, with: 'readme' })
  await w.drain()
  let id = 0
  return {
    w,
    there,
    clock,
    project,
    page: `${w.url}/reef/kelp`,
    async only(slug, settings) {
      w.ctx().db.exec('DELETE FROM integrations')
      const { status, body, text } = await root.put(`/projects/${project.id}/integrations/${slug}`, settings)
      if (status !== 200) throw new Error(`${slug}: ${status} ${text}`)
      await w.drain()
      there.requests.length = 0
      id = body.id
      return id
    },
    async deliver(kind, payload) {
      const event = { kind, project_id: project.id, payload: payload as Record<string, unknown> }
      record(w.ctx(), event, w.root.id)
      await w.drain()
      return there.requests.splice(0)
    },
    log: () => w.ctx().db.many('SELECT * FROM deliveries WHERE integration_id = ? ORDER BY id DESC', id),
  }
}

const NOTHING = '0'.repeat(40)
export const [OLD, NEW] = ['1a2b3c4d'.repeat(5), '5e6f7a8b'.repeat(5)]

const ann = {
  id: 7,
  name: 'Ann Example',
  username: 'ann',
  avatar_url: 'https://pics.example/ann.png',
  email: '[REDACTED]',
}

/** Payloads with the fields of the contract that messages use (spec administration 3.9). */
export function samples({ page, project }: Pick<Scene, 'page' | 'project'>) {
  const projectPart = {
    id: project.id,
    name: 'Kelp',
    web_url: page,
    path_with_namespace: 'reef/kelp',
    avatar_url: null,
    default_branch: 'main',
    git_http_url: `${page}.git`,
  }
  const commit = (id: string, message: string) => ({
    id,
    message,
    title: message.split('\n')[0]!,
    url: `${page}/-/commit/${id}`,
    author: { name: 'Bob <b>', email: 'bob@example.test' },
  })
  const push = (over: object = {}) => ({
    object_kind: 'push',
    before: OLD,
    after: NEW,
    ref: 'refs/heads/main',
    user_id: 7,
    user_name: 'Ann Example',
    user_username: 'ann',
    user_email: null,
    user_avatar: ann.avatar_url,
    project_id: project.id,
    project: projectPart,
    commits: [commit(OLD, 'Fix [a] | *b*\n\nLong'), commit(NEW, 'Second')],
    total_commits_count: 2,
    ...over,
  })
  const labels = (...titles: string[]) => titles.map((title, id) => ({ id, title }))
  const issue = (over: object = {}, ...titles: string[]) => ({
    object_kind: 'issue',
    user: ann,
    project: projectPart,
    labels: labels(...titles),
    object_attributes: {
      iid: 3,
      title: 'Leak & <co>',
      description: 'See **this** [page](https://x.example/a) <!channel>',
      state: 'opened',
      action: 'open',
      url: `${page}/-/issues/3`,
      ...over,
    },
  })
  const mergeRequest = (over: object = {}, changes: object = {}) => ({
    object_kind: 'merge_request',
    user: ann,
    project: projectPart,
    labels: [],
    changes,
    object_attributes: {
      iid: 4,
      title: 'Seal it',
      description: '',
      state: 'opened',
      action: 'open',
      url: `${page}/-/merge_requests/4`,
      source_branch: 'seal & <it>',
      target_branch: 'main',
      last_commit: commit(NEW, 'Second'),
      ...over,
    },
  })
  const noteOn = (on: object) => ({
    object_kind: 'note',
    user: ann,
    project: projectPart,
    object_attributes: { note: 'Looks **good**', noteable_type: 'Issue', url: `${page}/-/issues/3#note_9` },
    ...on,
  })
  const pipeline = (over: object = {}, builds: object[] = []) => ({
    object_kind: 'pipeline',
    user: ann,
    project: projectPart,
    commit: commit(NEW, 'Second'),
    builds,
    object_attributes: {
      id: 12,
      ref: 'main',
      tag: false,
      sha: NEW,
      status: 'failed',
      detailed_status: 'failed',
      duration: 125,
      finished_at: '2026-03-01 09:59:00 UTC',
      url: `${page}/-/pipelines/12`,
      ...over,
    },
  })
  const wikiPage = (over: object = {}) => ({
    object_kind: 'wiki_page',
    user: ann,
    project: projectPart,
    object_attributes: {
      slug: 'home',
      title: 'Home',
      message: 'Say more',
      url: `${page}/-/wikis/home`,
      diff_url: `${page}/-/wikis/home/diff?version_id=${NEW}`,
      action: 'create',
      ...over,
    },
  })
  const deployment = (over: object = {}) => ({
    object_kind: 'deployment',
    status: 'success',
    deployment_id: 99,
    deployable_id: 8,
    deployable_url: `${page}/-/jobs/8`,
    environment: 'production',
    user: ann,
    user_url: 'https://pics.example/ann',
    short_sha: NEW.slice(0, 8),
    commit_url: `${page}/-/commit/${NEW}`,
    commit_title: 'Second',
    ref: 'main',
    ...over,
  })
  return { push, issue, mergeRequest, noteOn, pipeline, wikiPage, deployment, commit, labels, NOTHING }
}
