import type { App } from '../pages/app.ts'
import { handRunner } from './hand-runner.ts'
import { expect, owner, type Instance } from './instance.ts'
import { makeTern } from './tern.ts'

/** A view of the window: its path, and a locator that is visible when it is loaded. */
export interface View {
  readonly name: string
  readonly path: string
  readonly shows: string | RegExp
}

/** Creates records for every view, and returns the paths of all views. */
export async function everyView(instance: Instance): Promise<View[]> {
  const { id, rewrite } = await makeTern(instance, { visibility: 'internal' })
  await planTern(instance, id)
  await proposeTern(instance, id)
  await instance.api('POST', `/projects/${id}/variables`, {
    key: 'DEPLOY_TOKEN',
    value: 'tide-table-2026',
    masked: true,
    protected: true,
    environment_scope: 'production',
    description: 'Of the harbour office',
  })
  await instance.api('POST', `/projects/${id}/releases`, {
    tag_name: 'v0.1.0',
    name: 'First heights',
    description: 'Heights from *one* gauge.',
    released_at: '2026-01-31T10:00:00Z',
    assets: { links: [{ name: 'tern', url: 'https://files.example.test/tern', link_type: 'package' }] },
  })
  await instance.api('POST', `/projects/${id}/wikis`, {
    title: 'home',
    content: '# Tides\n\n- [x] [[Slack water|guide/slack]]\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n> Words\n',
  })
  await instance.api('POST', `/projects/${id}/wikis`, {
    title: 'guide/slack',
    format: 'asciidoc',
    content: 'NOTE: Between the tides.\n',
  })
  const group = await instance.api<{ id: number }>('POST', '/groups', {
    name: 'Saltmarsh',
    path: 'saltmarsh',
  })
  await instance.api('POST', '/groups', { name: 'Tools', path: 'tools', parent_id: group.id })
  await instance.api('POST', '/projects', { name: 'empty' })
  await instance.api('POST', '/projects', { name: 'begun', template_name: 'static_site' })
  const work = await runHeron(instance)
  const hooks = await hookTern(instance, id)
  await inspectTern(instance, id)
  const request = '/root/tern/-/merge_requests'
  return [
    // This record is created first, because the requests of the other views would push the first one out of the list.
    { name: 'inspector', path: '/-/workbench/inspector', shows: 'GET /api/v4' },
    { name: 'recorded request', path: '/-/workbench/inspector/1', shows: 'Parameters ignored' },
    { name: 'home', path: '/', shows: 'Your projects' },
    { name: 'to-dos', path: '/dashboard/todos', shows: 'Nothing to do' },
    { name: 'projects', path: '/projects', shows: /\d total/ },
    { name: 'new project', path: '/projects/new', shows: 'Create project' },
    {
      name: 'new for a dropped folder',
      path: '/projects/new?name=tern&folder=%2Fhome%2Fada%2Ftern&repository=true',
      shows: 'git push deskforge --all',
    },
    { name: 'new from a template', path: '/projects/new/template', shows: 'Pipeline to learn from' },
    { name: 'new from a file', path: '/projects/new/archive', shows: 'Drop a .tar.gz file here' },
    { name: 'new from an address', path: '/projects/new/address', shows: 'Repository URL' },
    { name: 'new from a storage', path: '/projects/new/address?from=storage', shows: 'Bucket' },
    { name: 'new from a code host', path: '/projects/new/host', shows: 'Host URL' },
    { name: 'new from a code server', path: '/projects/new/server', shows: 'Server URL' },
    { name: 'imports', path: '/dashboard/imports', shows: 'root/begun' },
    { name: 'export', path: '/root/tern/-/settings/export', shows: 'Included' },
    { name: 'groups', path: '/groups', shows: 'saltmarsh' },
    { name: 'group', path: '/groups/saltmarsh', shows: 'New subgroup' },
    { name: 'new group', path: '/groups/new', shows: 'Create group' },
    { name: 'overview', path: '/root/tern', shows: 'Why another one' },
    { name: 'empty project', path: '/root/empty', shows: 'This repository is empty' },
    { name: 'folder', path: '/root/tern/-/tree/main/docs', shows: 'gauge.svg' },
    { name: 'file', path: '/root/tern/-/blob/main/src/tide.rs#L6-10', shows: 'Lines 6–10 selected' },
    { name: 'document', path: '/root/tern/-/blob/main/docs/gauge.md', shows: 'a person with a staff' },
    { name: 'activity', path: '/root/tern/-/activity', shows: /created the branch|pushed/ },
    { name: 'forks', path: '/root/tern/-/forks', shows: 'No forks yet' },
    { name: 'code search', path: '/root/tern/-/search/main?search=draught', shows: /\d total/ },
    { name: 'blame', path: '/root/tern/-/blame/main/src/tide.rs', shows: 'Older' },
    { name: 'edit', path: '/root/tern/-/edit/main/docs/gauge.md', shows: 'a person with a staff' },
    { name: 'edit files', path: '/root/tern/-/edit_files/main', shows: 'Choose a file to edit' },
    { name: 'new file', path: '/root/tern/-/new/main/docs', shows: 'Commit message' },
    { name: 'compare', path: '/root/tern/-/compare/main...fix/slack-water', shows: 'merge base' },
    { name: 'contributors', path: '/root/tern/-/graphs/main', shows: 'mara@saltmarsh.test' },
    { name: 'labels', path: '/root/tern/-/labels', shows: 'Something does not work' },
    { name: 'milestones', path: '/root/tern/-/milestones', shows: 'due 31 January 2027' },
    { name: 'milestone', path: '/root/tern/-/milestones/1', shows: '0 of 1 done' },
    { name: 'issues', path: '/root/tern/-/issues', shows: 'The tide turns too early' },
    { name: 'issue', path: '/root/tern/-/issues/1', shows: 'Two gauges disagree' },
    { name: 'new issue', path: '/root/tern/-/issues/new', shows: 'Open issue' },
    { name: 'board', path: '/root/tern/-/boards', shows: 'The tide turns too early' },
    { name: 'group boards', path: '/groups/saltmarsh/-/boards', shows: 'No boards yet' },
    { name: 'merge requests', path: '/root/tern/-/merge_requests', shows: 'Count slack water as open' },
    { name: 'merge request', path: `${request}/1`, shows: 'One unresolved thread' },
    { name: 'its commits', path: `${request}/1/commits`, shows: 'Mara Lindqvist' },
    { name: 'its pipelines', path: `${request}/1/pipelines`, shows: 'No pipelines' },
    { name: 'its changes', path: `${request}/1/diffs`, shows: 'Is the edge still safe?' },
    { name: 'new merge request', path: `${request}/new`, shows: 'Choose the source branch' },
    { name: 'all issues', path: '/dashboard/issues?scope=all', shows: 'The tide turns too early' },
    { name: 'wiki', path: '/root/tern/-/wikis/home', shows: 'Changed' },
    { name: 'wiki page', path: '/root/tern/-/wikis/guide/slack', shows: 'Between the tides.' },
    { name: 'its versions', path: '/root/tern/-/wikis/home/history', shows: 'root created page: home' },
    { name: 'writing a page', path: '/root/tern/-/wikis/home/edit', shows: 'Save page' },
    { name: 'pages of a wiki', path: '/root/tern/-/wikis/pages', shows: 'guide/slack' },
    { name: 'group wiki', path: '/groups/saltmarsh/-/wikis/home', shows: 'No pages yet' },
    { name: 'group labels', path: '/groups/saltmarsh/-/labels', shows: 'No labels yet' },
    { name: 'group milestones', path: '/groups/saltmarsh/-/milestones', shows: 'No milestones yet' },
    { name: 'group issues', path: '/groups/saltmarsh/-/issues', shows: 'No open issues' },
    { name: 'commit graph', path: '/root/tern/-/network/main', shows: 'Begin with the format of a gauge' },
    { name: 'commits', path: '/root/tern/-/commits/main', shows: 'Begin with the format of a gauge' },
    { name: 'commit', path: `/root/tern/-/commit/${rewrite}`, shows: 'let mut sum' },
    { name: 'branches', path: '/root/tern/-/branches', shows: 'spring-tides' },
    { name: 'tags', path: '/root/tern/-/tags', shows: 'v0.1.0' },
    { name: 'releases', path: '/root/tern/-/releases', shows: 'First heights' },
    { name: 'release', path: '/root/tern/-/releases/v0.1.0', shows: 'Source code (tar.bz2)' },
    { name: 'new release', path: '/root/tern/-/releases/new', shows: 'Publish release' },
    { name: 'members', path: '/root/tern/-/project_members', shows: '@root' },
    { name: 'project settings', path: '/root/tern/-/settings/general', shows: 'Name and description' },
    { name: 'features of a project', path: '/root/tern/-/settings/features', shows: 'Visibility' },
    { name: 'protection', path: '/root/tern/-/settings/repository', shows: 'Push: Maintainers' },
    { name: 'merging', path: '/root/tern/-/settings/merge_requests', shows: 'Merge method' },
    { name: 'push rules', path: '/root/tern/-/settings/push_rules', shows: 'Commit messages must match' },
    { name: 'project audit log', path: '/root/tern/-/settings/audit_events', shows: 'Audit log' },
    { name: 'approvals', path: '/root/tern/-/settings/approvals', shows: 'All eligible users' },
    { name: 'pipelines', path: '/root/tern/-/settings/ci_cd', shows: 'CI/CD configuration file' },
    { name: 'variables', path: '/root/tern/-/settings/variables', shows: 'DEPLOY_TOKEN' },
    { name: 'integrations', path: '/root/tern/-/settings/integrations', shows: 'Issue trackers' },
    { name: 'integration', path: '/root/tern/-/settings/integrations/slack', shows: 'Channel for pushes' },
    { name: 'webhooks', path: '/root/tern/-/settings/hooks', shows: 'Chat of the harbour' },
    { name: 'webhook', path: `/root/tern/-/settings/hooks/${hooks.own}`, shows: 'No deliveries yet' },
    { name: 'new webhook', path: '/root/tern/-/settings/hooks/new', shows: 'Events' },
    {
      name: 'message of a webhook',
      path: `/admin/hooks/${hooks.system}/events/${hooks.entry}`,
      shows: 'project_create',
    },
    { name: 'secure files', path: '/root/tern/-/settings/secure_files', shows: 'No secure files' },
    { name: 'project tokens', path: '/root/tern/-/settings/access_tokens', shows: 'No access tokens' },
    { name: 'deploy keys', path: '/root/tern/-/settings/deploy_keys', shows: 'No deploy keys' },
    { name: 'deploy tokens', path: '/root/tern/-/settings/deploy_tokens', shows: 'No deploy tokens' },
    { name: 'mirrors', path: '/root/tern/-/settings/mirrors', shows: 'No mirrors' },
    { name: 'new mirror', path: '/root/tern/-/settings/mirrors/new', shows: 'Add mirror' },
    { name: 'advanced', path: '/root/tern/-/settings/advanced', shows: 'Delete project…' },
    { name: 'group activity', path: '/groups/saltmarsh/-/activity', shows: 'No activity yet' },
    { name: 'group members', path: '/groups/saltmarsh/-/group_members', shows: '@root' },
    { name: 'group settings', path: '/groups/saltmarsh/-/edit', shows: 'Name and description' },
    { name: 'group rules', path: '/groups/saltmarsh/-/settings/permissions', shows: 'Access' },
    { name: 'group variables', path: '/groups/saltmarsh/-/settings/variables', shows: 'No variables' },
    { name: 'group tokens', path: '/groups/saltmarsh/-/settings/access_tokens', shows: 'No access tokens' },
    {
      name: 'group applications',
      path: '/groups/saltmarsh/-/settings/applications',
      shows: 'No applications',
    },
    {
      name: 'group push rules',
      path: '/groups/saltmarsh/-/settings/push_rules',
      shows: 'Commit messages must match',
    },
    { name: 'group identities', path: '/groups/saltmarsh/-/settings/scim', shows: 'Identity provider' },
    { name: 'group audit log', path: '/groups/saltmarsh/-/settings/audit_events', shows: 'Audit log' },
    { name: 'group webhooks', path: '/groups/saltmarsh/-/settings/hooks', shows: 'No webhooks' },
    { name: 'group advanced', path: '/groups/saltmarsh/-/settings/advanced', shows: 'Delete group…' },
    { name: 'all activity', path: '/activity', shows: 'created the project' },
    { name: 'search', path: '/search?search=tern&scope=projects', shows: 'Tide tables' },
    { name: 'snippets', path: '/dashboard/snippets', shows: 'No snippets yet' },
    { name: 'new snippet', path: '/-/snippets/new', shows: 'Create snippet' },
    { name: 'user', path: '/root', shows: 'Administrator' },
    { name: 'profile', path: '/-/profile', shows: 'About you' },
    { name: 'password', path: '/-/profile/password/edit', shows: 'New password' },
    { name: 'addresses', path: '/-/profile/emails', shows: 'This is your only email address' },
    { name: 'SSH keys', path: '/-/profile/keys', shows: 'No SSH keys' },
    { name: 'GPG keys', path: '/-/profile/gpg_keys', shows: 'No GPG keys' },
    { name: 'sessions', path: '/-/profile/active_sessions', shows: 'This window' },
    { name: 'applications', path: '/-/profile/applications', shows: 'No applications' },
    { name: 'authorised', path: '/-/profile/authorized_applications', shows: 'No authorized applications' },
    { name: 'chats', path: '/-/profile/chat_names', shows: 'No connected chats' },
    { name: 'new user', path: '/admin/users/new', shows: 'Create user' },
    { name: 'a user', path: '/admin/users/root', shows: 'Memberships' },
    { name: 'tokens', path: '/-/profile/personal_access_tokens', shows: 'Revoke…' },
    {
      name: 'instance settings',
      path: '/admin/application_settings/general',
      shows: 'Default branch name',
    },
    { name: 'overview of the instance', path: '/admin/overview', shows: 'Contents' },
    { name: 'push rules of the instance', path: '/admin/push_rule', shows: 'Commit messages must match' },
    { name: 'storages', path: '/admin/storages', shows: 'No moves yet' },
    { name: 'backups', path: '/admin/backups', shows: 'No backups' },
    { name: 'identity provider', path: '/admin/scim', shows: 'Identity provider' },
    { name: 'audit log', path: '/admin/audit_log', shows: 'Audit log' },
    { name: 'appearance', path: '/admin/application_settings/appearance', shows: 'Short name' },
    { name: 'messages', path: '/admin/broadcast_messages', shows: 'No messages' },
    { name: 'help', path: '/help', shows: 'Help' },
    { name: 'guide', path: '/help/guide/issues', shows: 'Issues and boards' },
    { name: 'system hooks', path: '/admin/hooks', shows: 'https://chat.saltmarsh.test/hook' },
    { name: 'mails', path: '/admin/mails', shows: 'No emails' },
    { name: 'instance variables', path: '/admin/variables', shows: 'No variables' },
    { name: 'users', path: '/admin/users', shows: '@root' },
    { name: 'all pipelines', path: '/root/heron/-/pipelines', shows: 'Compute the draught' },
    { name: 'charts', path: '/root/heron/-/pipelines/charts', shows: 'Pipelines by status' },
    { name: 'job that failed', path: `/root/heron/-/jobs/${work.failed}`, shows: '3 tests failed' },
    { name: 'job that waits', path: `/root/heron/-/jobs/${work.manual}`, shows: 'Start' },
    { name: 'start a pipeline', path: '/root/heron/-/pipelines/new', shows: 'Run pipeline' },
    { name: 'schedules', path: '/root/heron/-/pipeline_schedules', shows: 'Nightly' },
    { name: 'environments', path: '/root/heron/-/environments', shows: 'production' },
    { name: 'environment', path: '/root/heron/-/environments/1', shows: 'waiting for its job' },
    { name: 'feature flags', path: '/root/heron/-/feature_flags', shows: 'early-tide' },
    { name: 'feature flag', path: '/root/heron/-/feature_flags/early-tide/edit', shows: 'Strategy 2' },
    { name: 'user lists', path: '/root/heron/-/feature_flags_user_lists', shows: 'Testers' },
    { name: 'evaluate flags', path: '/root/heron/-/feature_flags/evaluate', shows: 'early-tide' },
    { name: 'triggers', path: '/root/heron/-/settings/triggers', shows: 'The harbour office' },
    { name: 'runners of a project', path: '/root/heron/-/settings/runners', shows: 'workbench' },
    { name: 'runners', path: '/-/runners', shows: 'Select a runner' },
    { name: 'clock', path: '/-/workbench/clock', shows: 'the time of the computer' },
    { name: 'snapshots', path: '/-/workbench/snapshots', shows: 'No snapshot yet' },
    { name: 'worlds', path: '/-/workbench/worlds', shows: 'A world describes' },
    { name: 'runner', path: `/-/runners/${work.runner}`, shows: 'Untagged jobs' },
    { name: 'kit', path: '/-/kit', shows: 'TextField' },
    { name: 'new runner', path: '/-/runners/new', shows: 'Create runner' },
    { name: 'built-in runner', path: '/-/runners/built_in', shows: 'Turn on' },
    { name: 'nothing', path: '/no/where', shows: 'Page not found' },
  ]
}

/** A webhook of the project, and a system hook with a delivery. */
async function hookTern(instance: Instance, id: number) {
  const add = (path: string, more: object) =>
    instance.api<{ id: number }>('POST', path, { url: 'https://chat.saltmarsh.test/hook', ...more })
  const own = await add(`/projects/${id}/hooks`, {
    name: 'Chat of the harbour',
    push_events_branch_filter: 'main',
  })
  const system = await add('/hooks', { custom_headers: [{ key: 'X-Harbour', value: 'saltmarsh' }] })
  await instance.api('POST', `/hooks/${system.id}`)
  const log = await instance.api<{ id: number }[]>('GET', `/hooks/${system.id}/events`)
  return { own: own.id, system: system.id, entry: log[0]!.id }
}

/** Requests in the inspector, the first of them with a hint. */
async function inspectTern(instance: Instance, id: number): Promise<void> {
  const answer = await fetch(`${instance.url}/-/workbench/inspector`, {
    method: 'PUT',
    headers: { 'private-token': owner.token, 'content-type': 'application/json' },
    body: JSON.stringify({ recording: true }),
  })
  expect(answer.status).toBe(200)
  await instance.api('POST', `/projects/${id}/labels`, { name: 'storm', color: '#224466', colour: 'blue' })
}

/** A label, a milestone and an issue with a comment. */
async function planTern(instance: Instance, id: number): Promise<void> {
  const at = `/projects/${id}`
  await instance.api('POST', `${at}/labels`, {
    name: 'bug',
    color: '#d9534f',
    description: 'Something does not work',
  })
  const milestone = await instance.api<{ id: number }>('POST', `${at}/milestones`, {
    title: '1.0',
    due_date: '2027-01-31',
  })
  await instance.api('POST', `${at}/issues`, {
    title: 'The tide turns too early',
    description: 'Two gauges disagree.\n\n- [ ] read both\n- [x] ask the harbour',
    labels: 'bug',
    milestone_id: milestone.id,
    assignee_ids: [1],
    due_date: '2026-01-02',
    confidential: true,
  })
  await instance.api('POST', `${at}/boards`, { name: 'Work' })
  await instance.api('POST', `${at}/issues/1/notes`, { body: 'Looking at `gauge.rs`.' })
}

/** A merge request with a thread at a line, after its first version was created. */
async function proposeTern(instance: Instance, id: number): Promise<void> {
  const at = `/projects/${id}/merge_requests`
  await instance.api('POST', at, {
    source_branch: 'fix/slack-water',
    target_branch: 'main',
    title: 'Count slack water as open',
    description: 'At slack water the bar is passable.',
    labels: 'bug',
  })
  type Refs = { base_sha: string; head_sha: string; start_sha: string }
  const refsOf = async () => (await instance.api<{ diff_refs: Refs | null }>('GET', `${at}/1`)).diff_refs
  await expect.poll(refsOf).not.toBeNull()
  await instance.api('POST', `${at}/1/discussions`, {
    body: 'Is the edge still safe?',
    position: {
      ...(await refsOf()),
      position_type: 'text',
      old_path: 'src/windows.rs',
      new_path: 'src/windows.rs',
      new_line: 9,
    },
  })
}

/** Opens a view and waits until it is complete, including its last request. */
export async function show(app: App, view: View): Promise<void> {
  await app.open(view.path)
  await settled(app, view)
}

/** Navigates to a view without a reload, like a link, and waits until it is complete. */
export async function goTo(app: App, view: View): Promise<void> {
  await app.page.evaluate((path) => {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, view.path)
  await settled(app, view)
}

async function settled(app: App, view: View): Promise<void> {
  await expect(app.page.getByText(view.shows).first()).toBeVisible()
  // The page of the component kit shows placeholders on purpose.
  await expect(app.page.locator('.skeleton:not(.kit *)')).toHaveCount(0)
}

const HERON = `
stages: [build, test, release]
compile: { stage: build, script: [make] }
unit: { stage: test, script: [make test] }
lint: { stage: test, script: [make lint], allow_failure: true }
publish:
  stage: release
  script: [make release]
  needs: []
  when: manual
  environment: { name: production, url: https://heron.test }
`

/** A project with pipelines that passed, failed and wait, and with triggers and schedules. */
async function runHeron(instance: Instance): Promise<{ failed: number; manual: number; runner: number }> {
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  await instance.api('POST', `/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Compute the draught',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: HERON }],
  })
  await instance.api('POST', `/projects/${id}/pipeline_schedules`, {
    description: 'Nightly',
    ref: 'main',
    cron: '0 4 * * *',
  })
  await instance.api('POST', `/projects/${id}/triggers`, { description: 'The harbour office' })
  await flagHeron(instance, id)
  const runner = await handRunner(instance, 'workbench')
  const jobsOf = () =>
    instance.api<{ id: number; name: string; status: string }[]>('GET', `/projects/${id}/jobs`)
  await expect
    .poll(async () => (await jobsOf()).find(({ name }) => name === 'compile')?.status)
    .toBe('pending')
  await (await runner.take()).finish('success')
  const unit = await runner.take()
  await unit.write(
    'section_start:100:script\r\u001b[0K\u001b[36;1mThe script\u001b[0m\n\u001b[32;1m$ make test\u001b[0m\n' +
      '\u001b[31;1mFAIL\u001b[0m \u001b[35mheron\u001b[0m \u001b[33mslow\u001b[0m \u001b[90mgrey\u001b[0m 3 tests failed\n',
  )
  await unit.finish('failed', { failure_reason: 'script_failure' })
  await (await runner.take()).finish('failed', { failure_reason: 'script_failure' })
  const jobs = await jobsOf()
  const idOf = (name: string) => jobs.find((job) => job.name === name)!.id
  return { failed: idOf(unit.name), manual: idOf('publish'), runner: runner.id }
}

/** A user list, and a feature flag for it and for a share of all users. */
async function flagHeron(instance: Instance, id: number): Promise<void> {
  const list = await instance.api<{ id: number }>('POST', `/projects/${id}/feature_flags_user_lists`, {
    name: 'Testers',
    user_xids: 'mara,ben',
  })
  const parameters = { groupId: 'default', rollout: '35', stickiness: 'default' }
  await instance.api('POST', `/projects/${id}/feature_flags`, {
    name: 'early-tide',
    version: 'new_version_flag',
    strategies: [
      { name: 'flexibleRollout', parameters, scopes: [{ environment_scope: 'production' }] },
      {
        name: 'serviceUserList',
        parameters: {},
        user_list_id: list.id,
        scopes: [{ environment_scope: '*' }],
      },
    ],
  })
}
