import { expect } from 'vitest'

import { client, scriptedRepo, shell } from './git.ts'
import type { Answer, Client, World } from './world.ts'
import { applyWorld } from './written-world.ts'

export const TITLE = 'It\'s "odd": {n} #1, [x] & *all* | of: it\\ - ünï 🎉 %{y}'

/** Fills an instance by its API with unusual content: names, texts, deleted users, histories. */
export async function makeOddInstance(here: World) {
  const root = here.as(here.root)
  const people = Object.fromEntries(
    ['ana', 'bo', 'cy', 'gone', 'left', 'off'].map((username) => [username, here.make.user({ username })]),
  )
  const by = (username: string): Client => here.as(people[username]!)

  const made = async (answer: Promise<Answer>) => {
    const { status, body, text } = await answer
    if (status >= 300) throw new Error(`${status} ${text}`)
    await here.drain()
    return body
  }
  const commit = (project: number, branch: string, files: object[], more: object = {}) =>
    made(
      by('ana').post(`/projects/${project}/repository/commits`, {
        branch,
        commit_message: 'Change\n\nBody: with a colon # and a hash\n- "quotes" \'too\'\n',
        actions: files,
        ...more,
      }),
    )

  const BODY =
    'Line one: # not a comment\r\n\r\n\ttab\n  indented\n\n- [ ] todo\n---\n"quoted" \\ back\u2028sep\u0007 bell\n\n'

  await made(
    root.put(`/users/${people['ana']!.id}`, { name: 'Ána "Q" O\'Neil: #1', bio: 'a: b\n# c', location: ' ' }),
  )
  const group = await made(
    root.post('/groups', {
      name: 'Grüppe (Co) 🎉',
      path: 'gru',
      visibility: 'public',
      description: 'Über: #all\nzwei',
    }),
  )
  for (const [username, level] of [
    ['ana', 40],
    ['bo', 30],
    ['cy', 20],
    ['gone', 30],
    ['left', 30],
    ['off', 30],
  ] as const)
    await here.make.member('groups', group.id, people[username]!, level)
  await made(root.post(`/groups/${group.id}/labels`, { name: 'prio: "high" #1', color: '#FF0000' }))
  await made(
    root.post(`/groups/${group.id}/milestones`, { title: 'v1: "the # one"', due_date: '2027-01-31' }),
  )
  const below = await made(
    root.post('/groups', { name: 'below', path: 'below', parent_id: group.id, visibility: 'private' }),
  )
  await made(root.put(`/groups/${below.id}`, { request_access_enabled: false }))
  const main = await made(
    by('ana').post('/projects', {
      name: 'Öddity - one',
      path: 'oddity',
      namespace_id: group.id,
      visibility: 'public',
      description: BODY,
      topics: ['c++', 'ünï'],
      only_allow_merge_if_all_discussions_are_resolved: true,
      only_allow_merge_if_pipeline_succeeds: true,
      merge_commit_template: 'Take %{title}\n\nfrom %{source_branch}',
    }),
  )
  const at = `/projects/${main.id}`
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255])

  await commit(main.id, 'main', [
    { action: 'create', file_path: 'ünï cödé: #1.txt', content: 'crlf\r\nline\r\n' },
    { action: 'create', file_path: 'a/"q".md', content: BODY },
    { action: 'create', file_path: 'empty', content: '' },
    { action: 'create', file_path: 'no end', content: 'last line' },
    { action: 'create', file_path: 'ends', content: 'two\n\n\n' },
    { action: 'create', file_path: 'p.png', content: bytes.toString('base64'), encoding: 'base64' },
    { action: 'create', file_path: 'run.sh', content: '#!/bin/sh\n' },
  ])
  await commit(main.id, 'main', [{ action: 'chmod', file_path: 'run.sh', execute_filemode: true }])
  await commit(main.id, 'main', [{ action: 'move', previous_path: 'ends', file_path: 'a/ends' }])
  await commit(main.id, 'main', [{ action: 'delete', file_path: 'empty' }])
  await commit(main.id, 'main', [{ action: 'create', file_path: 'last', content: 'x' }], {
    author_name: 'Some <One',
    author_email: 'some@one.example',
  })

  /** A branch with two commits and a merge request. */
  const request = async (branch: string, more: object = {}, author = 'ana') => {
    await commit(
      main.id,
      branch,
      [{ action: 'create', file_path: `${branch}.txt`, content: `${branch}\n` }],
      {
        start_branch: 'main',
      },
    )
    await commit(main.id, branch, [{ action: 'create', file_path: `${branch}-2.txt`, content: '2\n' }])
    return made(
      by(author).post(`${at}/merge_requests`, {
        source_branch: branch,
        target_branch: 'main',
        title: `${branch}: ${TITLE}`,
        ...more,
      }),
    )
  }
  const merge = async ({ iid }: { iid: number }, more: object = {}) => {
    await made(root.put(at, { only_allow_merge_if_pipeline_succeeds: false }))
    await made(root.put(`${at}/merge_requests/${iid}/merge`, more))
    await made(root.put(at, { only_allow_merge_if_pipeline_succeeds: true }))
  }
  const waiting = await request('waiting', {
    description: BODY,
    labels: 'prio: "high" #1',
    assignee_ids: [people['bo']!.id],
  })
  const plain = await request('plain', {}, 'bo')
  const thread = await made(
    by('cy').post(`${at}/merge_requests/${plain.iid}/discussions`, {
      body: 'On a line',
      position: {
        ...(await made(root.get(`${at}/merge_requests/${plain.iid}`))).diff_refs,
        position_type: 'text',
        new_path: 'plain.txt',
        old_path: 'plain.txt',
        new_line: 1,
      },
    }),
  )
  const LGTM = { body: '+1' }
  for (const [username, why] of [
    ['cy', 'why?'],
    ['cy', 'and why?'],
  ] as const) {
    const { id } = await made(by(username).post(`${at}/merge_requests/${plain.iid}/discussions`, LGTM))
    await made(by('bo').post(`${at}/merge_requests/${plain.iid}/discussions/${id}/notes`, { body: why }))
    await made(root.put(`${at}/merge_requests/${plain.iid}/discussions/${id}?resolved=true`))
  }
  await made(by('bo').put(`${at}/merge_requests/${plain.iid}/discussions/${thread.id}?resolved=true`))
  await made(by('ana').post(`${at}/merge_requests/${plain.iid}/approve`))
  await merge(plain)
  await merge(await request('squashed'), { squash: true, should_remove_source_branch: true })
  const dropped = await request('dropped')
  await made(by('bo').put(`${at}/merge_requests/${dropped.iid}`, { state_event: 'close' }))
  await made(root.delete(`${at}/repository/branches/dropped`))
  const twice = await request('twice', { title: 'The same title' })
  await made(root.put(`${at}/merge_requests/${twice.iid}`, { state_event: 'close' }))
  await request('again', { title: 'The same title' })
  await made(root.put(`${at}/merge_requests/${waiting.iid}`, { milestone_id: 1 }))

  // Issues with users who are deleted later.
  const issue = (username: string, title: string, more: object = {}) =>
    made(by(username).post(`${at}/issues`, { title, ...more }))
  const odd = await issue('ana', TITLE, {
    description: BODY,
    labels: 'prio: "high" #1',
    weight: 0,
    due_date: '2027-02-01',
  })
  await made(root.put(`${at}/issues/${odd.iid}`, { assignee_ids: [people['bo']!.id], milestone_id: 1 }))
  await made(by('bo').post(`${at}/issues/${odd.iid}/notes`, { body: '- a: b\n# c\n' }))
  await made(by('gone').post(`${at}/issues/${odd.iid}/notes`, { body: 'I was here' }))
  await made(by('left').post(`${at}/issues/${odd.iid}/notes`, { body: 'I left' }))
  const secret = await issue('cy', 'A secret: hush', { confidential: true })
  await made(by('left').post(`${at}/issues/${secret.iid}/notes`, { body: 'I cannot say this any more' }))
  await made(
    by('gone').put(`${at}/issues/${(await issue('gone', 'Written by gone')).iid}`, { state_event: 'close' }),
  )
  await issue('off', 'Written by off')
  await issue('bo', 'doubled')
  await issue('bo', 'Doubled')
  await made(root.post(`${at}/issues/${odd.iid}/notes`, { body: 'internal words', internal: true }))

  // Content that a world cannot describe.
  await made(
    root.post(`${at}/snippets`, {
      title: 'S',
      visibility: 'private',
      files: [{ file_path: 'a', content: 'b' }],
    }),
  )
  await made(root.post(`${at}/wikis`, { title: 'Über: uns #1', content: BODY }))
  await made(root.post(`${at}/wikis`, { title: 'Other', content: '= x', format: 'asciidoc' }))
  await made(root.post(`${at}/variables`, { key: 'OPEN', value: 'two\nlines: #\n' }))
  await made(root.post(`${at}/variables`, { key: 'HIDDEN', value: 'abcdefgh1', masked: true }))
  await made(
    root.post(`${at}/hooks`, {
      url: 'https://hooks.example/a?b=c#d',
      token: 'hook-secret',
      wiki_page_events: true,
      push_events_branch_filter: 'main',
    }),
  )
  await made(
    root.post(`${at}/releases`, {
      tag_name: 'v1',
      ref: 'main',
      tag_message: 'Tag: "one"\n\n# two',
      description: BODY,
    }),
  )
  await made(root.post(`${at}/repository/tags`, { tag_name: 'light', ref: 'waiting' }))
  await made(root.post(`${at}/environments`, { name: 'live / {a}', external_url: 'https://live.example' }))
  const { commit: tip } = await made(root.get(`${at}/repository/branches/main`))
  await made(
    root.post(`${at}/deployments`, {
      environment: 'live / {a}',
      sha: tip.id,
      ref: 'main',
      tag: false,
      status: 'success',
    }),
  )
  await made(
    root.post('/user/runners', {
      runner_type: 'project_type',
      project_id: main.id,
      description: 'r: #1',
      paused: true,
    }),
  )
  await made(root.post(`/projects/${main.id}/protected_branches`, { name: 'waiting' }))

  // An archived project with pipelines, an empty one, a personal one.
  const old = await made(
    by('ana').post('/projects', { name: 'old', namespace_id: below.id, visibility: 'private' }),
  )
  await commit(old.id, 'main', [
    {
      action: 'create',
      file_path: '.gitlab-ci.yml',
      content:
        'stages: [a, b]\none: { stage: a, script: x }\ntwo: { stage: b, script: y }\nthree: { stage: b, script: z, when: manual }\n',
    },
  ])
  const run = await made(by('ana').post(`/projects/${old.id}/pipeline`, { ref: 'main' }))
  await made(by('ana').post(`/projects/${old.id}/pipelines/${run.id}/cancel`))
  await made(by('ana').post(`/projects/${old.id}/pipeline`, { ref: 'main' }))
  await made(root.post(`/projects/${old.id}/archive`))
  await made(by('bo').post('/projects', { name: 'nothing' }))
  await made(
    by('bo').post('/projects', {
      name: 'own',
      initialize_with_readme: true,
      visibility: 'internal',
      merge_method: 'ff',
    }),
  )

  // A repository created by git: links, submodules, merges with additional changes.
  await made(root.post('/projects', { name: 'pushed', namespace_id: group.id, visibility: 'public' }))
  const { repo } = await scriptedRepo([
    { message: 'one: #1\n', files: { 'a.txt': 'a\n', link: { mode: '120000', content: 'a.txt' } } },
    { branch: 'side', from: ':1', files: { 'a.txt': 'side\n', 'dir/x': 'x' } },
    { files: { 'a.txt': 'main\n' } },
    { message: 'A merge by hand\n', merge: [':2'], files: { 'a.txt': 'both\n', 'dir/x': 'x' } },
    {
      branch: 'orphan',
      message: 'Another root\n',
      files: { dir: 'a file here', 'big.bin': Buffer.alloc(70_000) },
    },
    {
      branch: 'main',
      message: 'one: #1\n',
      files: { 'large.txt': 'x'.repeat(300_000), dir: null, 'dir/x': null, "it's": '\ufeffbom' },
    },
  ])
  const unsigned = shell(repo.gitDir, ['cat-file', 'commit', 'refs/heads/orphan'])
  const armored = '-----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----'
  const signed = shell(
    repo.gitDir,
    ['hash-object', '-t', 'commit', '-w', '--stdin'],
    unsigned.replace('\n\n', `\ngpgsig ${armored}\n\n`),
  )
  shell(repo.gitDir, ['update-ref', 'refs/heads/orphan', signed])
  const address = `${here.url.replace('//', `//root:${here.root.token}@`)}/gru/pushed.git`
  expect(await client(repo.gitDir, ['push', '--quiet', address, '--all'])).toMatchObject({ code: 0 })
  await here.drain()

  // Jobs with all results, merge commits with pipelines, commits that have the same message, or none.
  const logs = `log: ${JSON.stringify('$ make\n\u001b[31m[ '.repeat(600))}`
  const CI = `projects:
    - path: gru/ci
      creator: ana
      files:
        .gitlab-ci.yml: |
          stages: [a, b]
          one: { stage: a, script: x }
          two: { stage: b, script: y, when: manual }
          three: { stage: b, script: y, when: manual }
          four: { stage: b, script: y, allow_failure: true }
      commits:
        - { id: same, message: again, at: 2024-01-03, files: { x: '1' } }
        - { message: again, at: 2024-01-02, files: { x: '2' } }
        - { message: '', files: { x: '3' } }
        - { branch: topic, message: again, at: 2024-01-01, files: { y: '1' } }
        - { id: merged, merge: Topic }
        - { message: after, files: { x: '4' } }
      merge_requests: [{ title: Topic, source: topic, author: bo, state: merged, merged_by: ana, squash: true, remove_source_branch: true }]
      pipelines:
        - { ref: main, commit: same, author: ana, jobs: { one: { seconds: 3 }, two: { status: success, seconds: 4 }, four: { status: failed, exit_code: 3 } } }
        - { ref: main, commit: merged, source: web, jobs: { one: { status: failed, ${logs} } } }
        - { ref: main, source: schedule, jobs: { one: { status: canceled } } }
        - { ref: main, source: api, jobs: { one: { status: running, log: half } } }
        - { ref: main, source: api, jobs: { one: { status: pending } } }
  `
  const ci = await applyWorld(here, CI)
  if (ci.status !== 201) throw new Error(ci.text)
  await here.drain()

  // Deleted users.
  await made(root.delete(`/groups/${group.id}/members/${people['left']!.id}`))
  await made(root.delete(`/users/${people['gone']!.id}`))
  await made(root.post(`/users/${people['off']!.id}/block`))
  await made(
    root.put('/application/settings', {
      signup_enabled: false,
      after_sign_up_text: BODY,
      smtp_address: 'mail.example',
    }),
  )
  return { people, by, group, odd }
}
