import { expect, it } from 'vitest'

import {
  chatMarkup,
  markdown,
  telegram,
  text,
} from '../../../server/domains/integrations/delivering/messages/markup.ts'
import { scene } from './scene.ts'

const s = await scene()
const { w, page, there } = s
const root = w.as(w.root)
const at = `/projects/${s.project.id}`
const made = async (path: string, body: object) => {
  const answer = await root.post(`${at}/${path}`, body)
  if (answer.status >= 300) throw new Error(answer.text)
  return answer.body
}
/** Returns the first lines of the messages that an action causes. */
async function posted(act: () => Promise<unknown>): Promise<string[]> {
  there.requests.length = 0
  await act()
  await w.drain()
  return there.requests.map((request) => {
    const { text: line, attachments } = JSON.parse(new URLSearchParams(request.body).get('payload')!)
    return line || attachments[0].title
  })
}

it('an integration sends messages about real changes', async () => {
  await s.only('slack', { webhook: `${there.url}/in`, branches_to_be_notified: 'all' })
  const who = 'Administrator (root)'
  const home = `<${page}|Reef / Kelp>`
  const commit = (branch: string, path: string) => ({
    branch,
    start_branch: 'main',
    commit_message: `Add ${path}`,
    actions: [{ action: 'create', file_path: path, content: 'x' }],
  })
  const pushed = await posted(() => made('repository/commits', commit('seal', 'a.txt')))
  expect(pushed).toEqual([`${who} pushed new branch <${page}/-/commits/seal|seal> to ${home}`])
  const [moved] = await posted(() => made('repository/commits', { ...commit('main', 'b.txt') }))
  expect(moved).toMatch(new RegExp(`pushed to branch <${page}/-/commits/main\\|main> of `))
  expect(await posted(() => made('repository/tags', { tag_name: 'v1', ref: 'main' }))).toEqual([
    `${who} pushed new tag <${page}/-/tags/v1|v1> to ${home}`,
  ])
  const issue = `<${page}/-/issues/1|#1 Leak>`
  expect(await posted(() => made('issues', { title: 'Leak', description: 'Here' }))).toEqual([
    `[${home}] Issue ${issue} opened by ${who}`,
  ])
  expect(await posted(() => root.put(`${at}/issues/1`, { title: 'Leak', labels: 'x' }))).toEqual([])
  expect(await posted(() => made('issues/1/notes', { body: 'Seen' }))).toEqual([
    expect.stringMatching(/\|commented on issue #1> in .*: \*Leak\*$/),
  ])
  expect(await posted(() => root.put(`${at}/issues/1`, { state_event: 'close' }))).toEqual([
    `[${home}] Issue ${issue} closed by ${who}`,
  ])
  const request = { source_branch: 'seal', target_branch: 'main', title: 'Seal' }
  const link = `<${page}/-/merge_requests/1|!1 Seal>`
  expect(await posted(() => made('merge_requests', request))).toEqual([
    `${who} opened merge request ${link} in ${home}`,
  ])
  const merged = await posted(() => root.put(`${at}/merge_requests/1/merge`, {}))
  expect(merged).toContain(`${who} merged merge request ${link} in ${home}`)
})

it('a message about an invalid pipeline has the reason', async () => {
  const content = 'job: {}'
  const action = { action: 'create', file_path: '.gitlab-ci.yml', content }
  const commit = { branch: 'main', commit_message: 'Build', actions: [action] }
  await s.only('slack', { webhook: `${there.url}/in`, push_events: false })
  there.requests.length = 0
  await made('repository/commits', commit)
  await w.drain()
  const payloads = there.requests.map((request) =>
    JSON.parse(new URLSearchParams(request.body).get('payload')!),
  )
  expect(payloads.map((payload) => payload.attachments[0].fields.at(-1))).toEqual([
    { title: 'Invalid CI config YAML file', value: expect.stringContaining('job'), short: false },
  ])
})

it('user input is escaped', () => {
  const words = 'a <!channel> *b* _c_ [d](e) `f` | g'
  const all = text`${words} ${{ link: words, url: 'https://x.example/(a) b|c>' }} ${{ strong: words }}`
  expect(chatMarkup(all)).toBe(
    'a &lt;!channel&gt; *b* _c_ [d](e) `f` | g ' +
      '<https://x.example/%28a%29%20b%7Cc%3E|a &lt;!channel&gt; *b* _c_ [d](e) `f` ¦ g> ' +
      '*a &lt;!channel&gt; ∗b∗ _c_ [d](e) `f` | g*',
  )
  const escaped = 'a \\<!channel\\> \\*b\\* \\_c\\_ \\[d\\](e) \\`f\\` \\| g'
  expect(markdown(all)).toBe(`${escaped} [${escaped}](https://x.example/%28a%29%20b%7Cc%3E) *${escaped}*`)
  expect(telegram([words])).toBe('a <!channel> \\*b\\* \\_c\\_ \\[d](e) \\`f\\` | g')
})
