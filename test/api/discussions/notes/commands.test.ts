import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'

// Tests the text and the response of notes with quick actions. The tests of issues and merge requests cover the quick
// actions themselves.

const w = await world()
const { as, make } = w
const reporter = make.user({ username: 'reporter' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string

beforeAll(async () => {
  project = await make.project({ visibility: 'public' })
  await make.member('projects', project.id, reporter, 20)
})

beforeEach(async () => {
  const made = await as(reporter).post(`/projects/${project.id}/issues`, { title: 'Issue' })
  at = `/projects/${project.id}/issues/${made.body.iid}`
})

const say = (body: string, user = reporter) => as(user).post(`${at}/notes`, { body })
const comments = async () =>
  (await as(reporter).get(`${at}/notes?activity_filter=only_comments`)).body.map(
    (note: { body: string }) => note.body,
  )

describe('quick actions in a note', () => {
  it('without other text create no note and return their results', async () => {
    const answer = await say('/title New name\n/confidential')
    expect([answer.status, answer.body]).toEqual([
      202,
      {
        commands_changes: { title: 'New name', confidential: true },
        summary: [expect.stringMatching(/^Changed the title to "New name"\. .*confidential\.$/)],
      },
    ])
    expect(await comments()).toEqual([])
    expect((await as(reporter).get(at)).body).toMatchObject({ title: 'New name', confidential: true })
  })

  it('are removed from the text, and their results are returned with the note', async () => {
    const answer = await say('Done.\n/close\nThanks')
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ body: 'Done.\nThanks', commands_changes: { state_event: 'close' } })
    expect((await as(reporter).get(at)).body.state).toBe('closed')
    expect((await as(reporter).get(`${at}/notes/${answer.body.id}`)).body.commands_changes).toEqual({})
    const note = await say('See:\n```\n/reopen\n```\n/no_such_command')
    expect(note.body.body).toBe('See:\n```\n/reopen\n```\n/no_such_command')
    expect((await as(reporter).get(at)).body.state).toBe('closed')
  })

  it('return 400 without other text when none applies, and are skipped otherwise', async () => {
    for (const [body, names, user] of [
      ['/merge', '"merge"', reporter],
      ['/close\n/label ~x', '"close", "label"', stranger],
    ] as const) {
      const answer = await say(body, user)
      expect([answer.status, answer.body]).toEqual([
        400,
        {
          message: `400 Bad request - Note {:command_names=>[${names}], :commands=>["Commands did not apply"]}`,
        },
      ])
    }
    const note = await say('Please\n/close', stranger)
    expect([note.status, note.body.body, note.body.commands_changes]).toEqual([201, 'Please', {}])
    expect((await as(reporter).get(at)).body.state).toBe('opened')
  })

  it('work in threads and in updated notes', async () => {
    const alone = await as(reporter).post(`${at}/discussions`, { body: '/close' })
    expect([alone.status, alone.body.commands_changes]).toEqual([202, { state_event: 'close' }])
    const thread = await as(reporter).post(`${at}/discussions`, { body: 'Why?\n/reopen' })
    expect(thread.status).toBe(201)
    expect(thread.body.notes[0]).toMatchObject({ body: 'Why?', commands_changes: { state_event: 'reopen' } })
    const answer = await as(reporter).post(`${at}/discussions/${thread.body.id}/notes`, { body: '/close' })
    expect(answer.status).toBe(202)
    const note = `${at}/notes/${thread.body.notes[0].id}`
    const edited = await as(reporter).put(note, { body: 'Because.\n/reopen' })
    expect(edited.body).toMatchObject({ body: 'Because.', commands_changes: { state_event: 'reopen' } })
    expect((await as(reporter).get(at)).body.state).toBe('opened')
    const emptied = await as(reporter).put(note, { body: '/close' })
    expect([emptied.status, emptied.body]).toEqual([
      400,
      { message: `400 Bad request - Failed to save note {:note=>["can't be blank"]}` },
    ])
    expect((await as(reporter).get(at)).body.state).toBe('opened')
  })

  it('stay text on records without quick actions', async () => {
    const made = await as(w.root).post(`/projects/${project.id}/snippets`, {
      title: 'Snippet',
      visibility: 'public',
      file_name: 'a.txt',
      content: 'a\n',
    })
    const answer = await as(w.root).post(`/projects/${project.id}/snippets/${made.body.id}/notes`, {
      body: '/close',
    })
    expect([answer.status, answer.body.body]).toEqual([201, '/close'])
  })
})
