import { createServer, type AddressInfo } from 'node:net'

import type { SMTPServerOptions } from 'smtp-server'
import { beforeAll, describe, expect, it } from 'vitest'

import { queueMail, type Mail } from '../../../server/domains/mail/index.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world, type World } from '../../support/world.ts'
import { watchEvents } from '../repository/fill.ts'
import { mailServer, type TakenMail } from './mail-server.ts'

const clock = frozenClock('2026-03-01T10:00:00.000Z')
let w: World
let plain: { port: number; mails: TakenMail[] }
let strict: { port: number; mails: TakenMail[] }
let implicit: { port: number; mails: TakenMail[] }

/** Accepts a sign-in only with one password. */
const fussy: SMTPServerOptions = {
  authOptional: false,
  authMethods: ['PLAIN', 'LOGIN', 'CRAM-MD5'],
  onAuth: (auth, _session, done) =>
    auth.password === 'sesame' || (auth.method === 'CRAM-MD5' && auth.validatePassword('sesame'))
      ? done(null, { user: auth.username })
      : done(new Error('Wrong password')),
}

beforeAll(async () => {
  w = await world({ clock })
  plain = await mailServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(address, _session, done) {
      if (address.address.startsWith('refused'))
        return done(Object.assign(new Error('No such user'), { responseCode: 550 }))
      if (address.address.startsWith('busy') && busy)
        return done(Object.assign(new Error('Come again'), { responseCode: 450 }))
      done()
    },
  })
  strict = await mailServer(fussy)
  implicit = await mailServer({ ...fussy, secure: true })
  await settings({ ...open, smtp_enabled: true })
})

let busy = false
const settings = async (values: object) => {
  const { status, body } = await w.as(w.root).put('/application/settings', values)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}
const open = {
  smtp_address: '127.0.0.1',
  get smtp_port() {
    return plain.port
  },
  smtp_tls: 'none',
  smtp_user_name: '',
  smtp_password: '',
  smtp_verify_certificates: false,
}
const rowOf = (id: number) =>
  w
    .ctx()
    .db.one<{ sent_at: string | null; error: string | null }>(
      'SELECT sent_at, error FROM mails WHERE id = ?',
      id,
    )!
async function send(mail: Partial<Mail> = {}) {
  const id = queueMail(w.ctx(), { to: ['a@example.test'], subject: 'Hello', text: 'A line', ...mail })!
  await w.drain()
  return rowOf(id)
}
const header = (mail: TakenMail, name: string) =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(mail.source)?.[1]

describe('Mails', () => {
  it('are sent by the server of the settings, with the sender of the settings', async () => {
    await settings({
      email_from: 'forge@example.test',
      email_display_name: 'Our forge',
      email_reply_to: 'us@example.test',
    })
    const row = await send({
      to: ['a@example.test', 'b@example.test'],
      subject: 'Grüße',
      html: '<p>A line</p>',
      headers: { 'X-Project': 'group/project' },
    })
    expect(row).toEqual({ sent_at: '2026-03-01T10:00:00.000Z', error: null })
    const mail = plain.mails.at(-1)!
    expect(mail).toMatchObject({
      from: 'forge@example.test',
      to: ['a@example.test', 'b@example.test'],
      user: undefined,
      isEncrypted: false,
    })
    expect(header(mail, 'From')).toBe('Our forge <forge@example.test>')
    expect(header(mail, 'Reply-To')).toBe('us@example.test')
    expect(header(mail, 'To')).toBe('a@example.test, b@example.test')
    expect(header(mail, 'Subject')).toBe('=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=')
    expect(header(mail, 'X-Project')).toBe('group/project')
    expect(header(mail, 'Auto-Submitted')).toBe('auto-generated')
    expect(mail.source).toContain('<p>A line</p>')
    await settings({ html_emails_enabled: false, email_from: '', email_display_name: '', email_reply_to: '' })
    await send({ html: '<p>A line</p>', from: 'Ann <ann@example.test>' })
    expect(plain.mails.at(-1)!.source).not.toContain('<p>')
    expect(header(plain.mails.at(-1)!, 'From')).toBe('Ann <ann@example.test>')
    await send()
    expect(header(plain.mails.at(-1)!, 'From')).toBe('Deskforge <noreply@localhost>')
    await settings({ html_emails_enabled: true })
  })

  it('contain no headers injected by a subject or an address', async () => {
    await send({ subject: 'One\r\nBcc: x@example.test', headers: { 'X-Name': 'a\r\nBcc: x@example.test' } })
    const mail = plain.mails.at(-1)!
    expect(header(mail, 'Bcc')).toBeUndefined()
    expect(mail.to).toEqual(['a@example.test'])
  })

  it('publish events when they are queued and sent', async () => {
    const received = watchEvents(w, 'mail.changed')
    await send()
    const { id } = w.ctx().db.one<{ id: number }>('SELECT max(id) AS id FROM mails')!
    expect(received).toEqual([{ mail_id: id }, { mail_id: id }])
  })

  it('contain the header and footer of the appearance, and the additional text', async () => {
    await settings({ email_additional_text: 'Kept for ten years.\n<Legal>' })
    const bars = { header_message: '**Internal**', footer_message: 'Our forge' }
    await w.as(w.root).put('/application/appearance', { ...bars, email_header_and_footer_enabled: true })
    await send({ text: 'A line', html: '<p>A line</p>' })
    const source = plain.mails.at(-1)!.source.replaceAll('=\r\n', '')
    expect(source).toContain(
      '**Internal**\r\n\r\nA line\r\n\r\nKept for ten years.\r\n<Legal>\r\n\r\nOur forge',
    )
    expect(source).toContain('<strong>Internal</strong>')
    expect(source).toContain('Kept for ten years.<br>&lt;Legal&gt;')
    await settings({ email_additional_text: '' })
    await w.as(w.root).put('/application/appearance', { email_header_and_footer_enabled: false })
    await send({ text: 'A line', html: '<p>A line</p>' })
    expect(plain.mails.at(-1)!.source).not.toContain('Internal')
  })

  it('without recipients are not queued', () => {
    expect(queueMail(w.ctx(), { to: [], subject: 'x', text: 'x' })).toBeUndefined()
  })

  it('are stored with the reason when sending is disabled', async () => {
    const before = plain.mails.length
    await settings({ silent_mode_enabled: true })
    expect(await send()).toEqual({ sent_at: null, error: 'No mails are sent while silent mode is on.' })
    await settings({ silent_mode_enabled: false, smtp_enabled: false })
    expect(await send()).toEqual({ sent_at: null, error: 'Sending mails is switched off.' })
    await settings({ smtp_enabled: true })
    expect(plain.mails.length).toBe(before)
  })

  it('record refused recipients, and are retried only after temporary errors', async () => {
    expect(await send({ to: ['refused@example.test', 'a@example.test'] })).toEqual({
      sent_at: '2026-03-01T10:00:00.000Z',
      error: 'Refused by the mail server: refused@example.test',
    })
    expect((await send({ to: ['refused@example.test'] })).error).toMatch(
      /^The mail server refused the mail: .*No such user/,
    )
    busy = true
    const id = queueMail(w.ctx(), { to: ['busy@example.test'], subject: 'Again', text: 'x' })!
    await w.drain()
    expect(rowOf(id)).toEqual({ sent_at: null, error: expect.stringContaining('Come again') })
    busy = false
    clock.advance(1000)
    await w.drain()
    expect(rowOf(id)).toEqual({ sent_at: '2026-03-01T10:00:01.000Z', error: null })
    expect(header(plain.mails.at(-1)!, 'Subject')).toBe('Again')
  })

  it('are deleted after two days', async () => {
    await send({ subject: 'Old' })
    const count = () => w.ctx().db.one<{ n: number }>('SELECT count(*) AS n FROM mails')!.n
    expect(count()).toBeGreaterThan(0)
    clock.advance(3 * 86_400_000)
    await w.drain()
    expect(count()).toBe(0)
  })
})

describe('The mail server', () => {
  it.each(['plain', 'login', 'cram_md5'])(
    'accepts a sign-in by %s over an encrypted connection',
    async (smtp_authentication) => {
      const account = { smtp_user_name: 'forge', smtp_password: 'sesame', smtp_authentication }
      await settings({ ...account, smtp_port: strict.port, smtp_tls: 'starttls' })
      expect((await send()).error).toBeNull()
      expect(strict.mails.at(-1)).toMatchObject({ user: 'forge', isEncrypted: true })
      await settings({ smtp_port: implicit.port, smtp_tls: 'tls' })
      expect((await send()).error).toBeNull()
      expect(implicit.mails.at(-1)).toMatchObject({ user: 'forge', isEncrypted: true })
    },
  )

  it('must encrypt, and have a valid certificate if required', async () => {
    await settings({ smtp_port: strict.port, smtp_tls: 'starttls', smtp_verify_certificates: true })
    expect((await send()).error).toMatch(/certificate/)
    await settings({ smtp_port: plain.port, smtp_verify_certificates: false })
    expect((await send()).error).toMatch(/could not be encrypted/)
    expect(plain.mails.at(-1)?.isEncrypted).toBe(false)
    w.ctx().db.exec(`DELETE FROM jobs WHERE name = 'mail.send'`)
  })

  it('is tested with a mail that is sent at once', async () => {
    const test = (body: object = {}) => w.as(w.root).post('/-/mails/test', body)
    await settings({ smtp_port: strict.port, smtp_user_name: 'forge', smtp_password: 'sesame' })
    expect((await test({ to: 'new@example.test' })).body).toEqual({
      is_ok: true,
      message: 'The mail server accepted a message to new@example.test.',
    })
    expect(strict.mails.at(-1)!.to).toEqual(['new@example.test'])
    const own = (await w.as(w.root).get('/user')).body.email
    expect((await test()).body.message).toBe(`The mail server accepted a message to ${own}.`)
    await settings({ smtp_password: 'wrong' })
    expect((await test()).body).toEqual({
      is_ok: false,
      message: expect.stringMatching(/^The mail server refused the user name or password: /),
    })
    expect(await test({ to: 'a@b, c@d' })).toMatchObject({
      status: 422,
      body: { message: 'to is not a valid email address' },
    })
    const nobody = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => nobody.once('listening', resolve))
    const { port } = nobody.address() as AddressInfo
    await new Promise((resolve) => nobody.close(resolve))
    await settings({ smtp_port: port })
    expect((await test()).body).toEqual({
      is_ok: false,
      message: expect.stringMatching(/^The mail server could not be used: .*ECONNREFUSED/),
    })
    await settings({ smtp_enabled: false })
    expect((await test()).body).toEqual({ is_ok: false, message: 'Sending mails is switched off.' })
    const user = w.make.user()
    expect((await w.as(user).post('/-/mails/test')).status).toBe(403)
  })

  it('must be set for sending, and its password is never returned', async () => {
    const put = (body: object) => w.as(w.root).put('/application/settings', body)
    expect(await put({ smtp_enabled: true, smtp_address: '' })).toMatchObject({
      status: 400,
      body: { message: { smtp_address: ["can't be blank"] } },
    })
    expect((await put({ email_from: 'Me <me@example.test>' })).body).toEqual({
      message: { email_from: ['is not a valid email address'] },
    })
    const body = await settings({ smtp_password: 'open sesame' })
    expect(body).toMatchObject({ smtp_password_set: true })
    expect(body).not.toHaveProperty('smtp_password')
    const all = JSON.stringify(w.ctx().db.many('SELECT * FROM application_settings'))
    expect(all + JSON.stringify(body)).not.toContain('sesame')
    expect(await settings({ smtp_password: null })).toMatchObject({ smtp_password_set: false })
  })

  it('has its results in the list for administrators', async () => {
    await settings({ ...open, smtp_enabled: true })
    await send({ subject: 'First' })
    await send({ subject: 'Second', to: ['refused@example.test'] })
    const { body } = await w.as(w.root).get('/-/mails?per_page=2')
    expect(body).toMatchObject([
      { subject: 'Second', sent_at: null, error: expect.stringContaining('No such user') },
      { subject: 'First', recipients: ['a@example.test'], error: null },
    ])
    expect((await w.as(w.make.user()).get('/-/mails')).status).toBe(403)
  })
})
