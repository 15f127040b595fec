import { describe, expect, it } from 'vitest'

import { mailServer, type TakenMail } from '../mail/mail-server.ts'
import { fill } from '../repository/fill.ts'
import { samples, scene } from './scene.ts'

const s = await scene()
const { w, page, deliver, only, log } = s
const { push, pipeline, commit, NOTHING } = samples(s)
const root = w.as(w.root)
const { port, mails } = await mailServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
const smtp = { smtp_enabled: true, smtp_address: '127.0.0.1', smtp_port: port, smtp_tls: 'none' }
await root.put('/application/settings', { ...smtp, email_from: 'forge@mail.example' })
const [before, after] = fill(w, s.project, [
  { files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' } },
  { files: { 'a.txt': 'one\nthree & <four>\n', 'b.txt': null, 'c.txt': 'c\n' } },
]) as [string, string]

/** Returns the part of a mail with a content type. */
function part(mail: TakenMail, type: string): string {
  const section = mail.source.split(/^--.*\r\n/m).find((part) => part.startsWith(`Content-Type: ${type}`))!
  const [head = '', ...body] = section.split('\r\n\r\n')
  const text = body.join('\r\n\r\n')
  if (!/quoted-printable/i.test(head)) return text.replaceAll('\r\n', '\n')
  const bytes = text
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n')
}
const header = (mail: TakenMail, name: string) =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(mail.source)?.[1]!.replace(/\r\n\s/g, ' ')
async function sent(...event: Parameters<typeof deliver>): Promise<TakenMail[]> {
  mails.length = 0
  await deliver(...event)
  return mails.toSorted((a, b) => (a.to[0]! < b.to[0]! ? -1 : 1))
}

describe('Mails about pushes', () => {
  it('have the commits and diffs, and go to each recipient separately', async () => {
    await only('emails-on-push', { recipients: 'b@example.test  a@example.test\nnone' })
    const commits = [commit(before, 'First'), commit(after, 'Second & <last>\n\nWith more')]
    const mails = await sent('push', push({ before, after, commits }))
    expect(mails.map((mail) => [mail.from, mail.to])).toEqual([
      ['forge@mail.example', ['a@example.test']],
      ['forge@mail.example', ['b@example.test']],
    ])
    const [mail] = mails as [TakenMail]
    expect(header(mail, 'Subject')).toBe('[Git][reef/kelp][main] 2 commits: Second & <last>')
    expect(header(mail, 'From')).toBe('Ann Example <forge@mail.example>')
    expect(header(mail, 'X-Gitlab-Project-Path')).toBe('reef/kelp')
    const text = part(mail, 'text/plain')
    expect(text).toContain('Ann Example pushed to branch main at Reef / Kelp\n')
    expect(text).toContain(`${after.slice(0, 8)} by Bob <b>\nSecond & <last>\n\nWith more\n`)
    expect(text).toContain('=== a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three & <four>\n')
    expect(text).toContain('=== b.txt (deleted)\n')
    expect(text).toContain('=== c.txt (new)\n')
    expect(text).toContain(`View it: ${page}/-/compare/${before}...${after}`)
    const html = part(mail, 'text/html')
    expect(html).toContain('+three &amp; &lt;four&gt;')
    expect(html).toContain('by Bob &lt;b&gt;')
    expect(log()).toMatchObject([
      { method: 'SMTP', error: null, url: 'mailto:b@example.test,a@example.test' },
    ])
  })

  it('leave out diffs on request, and for created branches', async () => {
    await only('emails-on-push', { recipients: 'a@example.test', disable_diffs: true })
    const [mail] = await sent('push', push({ before, after }))
    expect(part(mail!, 'text/plain')).not.toContain('@@')
    await only('emails-on-push', { recipients: 'a@example.test' })
    const [made] = await sent('push', push({ before: NOTHING, after }))
    expect(header(made!, 'Subject')).toBe('[Git][reef/kelp] Pushed new branch main')
    expect(part(made!, 'text/plain')).not.toContain('@@')
    const [deletion] = await sent('tag_push', push({ after: NOTHING, ref: 'refs/tags/v1', commits: [] }))
    expect(header(deletion!, 'Subject')).toBe('[Git][reef/kelp] Deleted tag v1')
    // The overwritten commits may be missing in the repository.
    const [forced] = await sent('push', push({ after }))
    expect(part(forced!, 'text/plain')).toContain('Commits:')
  })

  it('come from the pusher when the address belongs to the instance’s domain', async () => {
    const ann = await root.post('/users', {
      name: 'Ann Example',
      username: 'ann',
      email: 'ann@mail.example',
      password: 'a long enough one',
      skip_confirmation: true,
    })
    await only('emails-on-push', { recipients: 'a@example.test', send_from_committer_email: true })
    const [mail] = await sent('push', push())
    expect(header(mail!, 'From')).toBe('Ann Example <ann@mail.example>')
    await root.put('/application/settings', { email_from: 'forge@other.example' })
    const [other] = await sent('push', push())
    expect(header(other!, 'From')).toBe('Ann Example <forge@other.example>')
    await root.put('/application/settings', { email_author_in_body: true })
    const [plain] = await sent('push', push())
    expect(header(plain!, 'From')).toBe('Deskforge <forge@other.example>')
    expect(ann.status).toBe(201)
  })

  it('are sent for all branches by default, or for the chosen ones', async () => {
    await only('emails-on-push', { recipients: 'a@example.test' })
    expect(await sent('push', push({ ref: 'refs/heads/other' }))).toHaveLength(1)
    await only('emails-on-push', { recipients: 'a@example.test', branches_to_be_notified: 'default' })
    expect(await sent('push', push({ ref: 'refs/heads/other' }))).toEqual([])
    expect(await sent('push', push())).toHaveLength(1)
    expect(await sent('tag_push', push({ ref: 'refs/tags/v1' }))).toHaveLength(1)
  })

  it('are not sent while mails are disabled, and the log has the reason', async () => {
    await root.put('/application/settings', { smtp_enabled: false })
    expect(await sent('push', push())).toEqual([])
    expect(log()[0]!.error).toBe('Sending mails is switched off.')
    await root.put('/application/settings', { smtp_enabled: true })
  })
})

describe('Mails about pipelines', () => {
  it('are sent for failed ones, and for successful ones on request', async () => {
    await only('pipelines-email', { recipients: 'a@example.test,b@example.test' })
    const job = { id: 1, stage: 'test', name: 'unit', status: 'failed', allow_failure: false }
    const mails = await sent('pipeline', pipeline({}, [job]))
    expect(mails.map((mail) => mail.to)).toEqual([['a@example.test'], ['b@example.test']])
    expect(header(mails[0]!, 'Subject')).toBe('Reef / Kelp | Failed pipeline for main | 5e6f7a8b')
    expect(part(mails[0]!, 'text/plain')).toBe(
      [
        'Reef / Kelp: Pipeline #12 of branch main by Ann Example (ann) has failed in 02:05',
        'Branch: main',
        'Commit: Second',
        'Failed stage: test',
        'Failed job: unit',
        '',
        `View it: ${page}/-/pipelines/12`,
        '',
        '',
      ].join('\n'),
    )
    expect(part(mails[0]!, 'text/html')).toContain(`<a href="${page}/-/pipelines/12">#12</a>`)
    expect(await sent('pipeline', pipeline({ status: 'success' }))).toEqual([])
    expect(await sent('pipeline', pipeline({ ref: 'other' }))).toEqual([])
    await only('pipelines-email', { recipients: 'a@example.test', notify_only_broken_pipelines: false })
    const [passed] = await sent('pipeline', pipeline({ status: 'success', detailed_status: 'passed' }))
    expect(header(passed!, 'Subject')).toBe('Reef / Kelp | Successful pipeline for main | 5e6f7a8b')
    const warned = { status: 'success', detailed_status: 'passed with warnings', tag: true, ref: 'v1' }
    const [other] = await sent('pipeline', pipeline(warned))
    expect(header(other!, 'Subject')).toBe('Reef / Kelp | Successful pipeline for v1 | 5e6f7a8b')
  })

  it('are tested with a mail that is sent at once', async () => {
    await only('pipelines-email', { recipients: 'x@example.test,a@example.test' })
    mails.length = 0
    const { body } = await root.post(`/-/projects/${s.project.id}/integrations/pipelines-email/test`)
    expect(body).toEqual({ is_ok: true, message: 'The mail server accepted a message to x@example.test.' })
    expect(mails.map((mail) => mail.to)).toEqual([['x@example.test']])
  })
})
