import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const w = await world()
const { as, make } = w
const user = make.user()
const at = '/application/appearance'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const form = (files: Record<string, [name: string, content: Buffer | string]>, more = {}) => {
  const data = new FormData()
  for (const [field, [name, content]] of Object.entries(files))
    data.append(field, new Blob([content as never]), name)
  for (const [field, value] of Object.entries(more)) data.append(field, String(value))
  return data
}
const fetchFile = (path: string) => fetch(w.url + path)

describe('the appearance', () => {
  it('is empty at first, and limited to administrators', async () => {
    expect((await as(w.root).get(at)).body).toEqual({
      title: '',
      short_title: '',
      description: '',
      pwa_name: '',
      pwa_short_name: '',
      pwa_description: '',
      logo: null,
      header_logo: null,
      favicon: null,
      pwa_icon: null,
      new_project_guidelines: '',
      profile_image_guidelines: '',
      header_message: '',
      footer_message: '',
      message_background_color: '#E75E40',
      message_font_color: '#FFFFFF',
      email_header_and_footer_enabled: false,
    })
    expect((await as(user).get(at)).status).toBe(403)
    expect((await as(null).put(at, { title: 'x' })).status).toBe(401)
  })

  it('accepts single texts and colors, and shows them to everybody as safe HTML', async () => {
    const params = { title: 'Our forge', header_message: '**Careful** <script>alert(1)</script>' }
    const { body, status } = await as(w.root).put(at, params)
    expect([status, body]).toEqual([200, expect.objectContaining(params)])
    await as(w.root).put(at, { message_background_color: '#123', message_font_color: '#abcdef' })
    const answer = await fetch(`${w.url}/-/look`)
    const look = (await answer.json()) as { header_message_html: string }
    expect(look).toMatchObject({
      title: 'Our forge',
      header_message_html: expect.stringMatching(/^<p[^>]*><strong>Careful<\/strong>/),
      message_background_color: '#123',
    })
    expect(look.header_message_html).not.toContain('script')
  })

  it.each([
    [{}, /at least one parameter must be provided/],
    [{ message_font_color: 'red' }, 'must be a valid color code'],
    [{ profile_image_guidelines: 'x'.repeat(4097) }, /profile_image_guidelines/],
    [{ email_header_and_footer_enabled: 'perhaps' }, 'email_header_and_footer_enabled is invalid'],
    [{ logo: 'text' }, 'logo is invalid'],
  ])('refuses %j', async (params, text) => {
    const { status, body } = await as(w.root).put(at, params)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(text)])
  })
})

describe('pictures', () => {
  it('are served to everybody, several at once, and replaced', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const data = form({ logo: ['My logo.svg', svg], favicon: ['icon.png', PNG] }, { short_title: 'OF' })
    const { body, status } = await as(w.root).put(at, data)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      short_title: 'OF',
      logo: '/uploads/-/system/appearance/logo/1/My_logo.svg',
      favicon: '/uploads/-/system/appearance/favicon/1/icon.png',
    })
    expect((await fetchFile('/favicon.ico')).headers.get('content-type')).toBe('image/png')
    const logo = await fetchFile(body.logo)
    expect(await logo.text()).toBe(svg)
    expect(logo.headers.get('content-type')).toBe('image/svg+xml')
    expect(logo.headers.get('content-security-policy')).toContain('sandbox')
    const next = await as(w.root).put(at, form({ logo: ['other.png', PNG] }))
    expect((await fetchFile(next.body.logo)).status).toBe(200)
    expect((await fetchFile(body.logo)).status).toBe(404)
  })

  it('are removed on request', async () => {
    const { logo } = (await as(w.root).put(at, form({ logo: ['a.png', PNG] }))).body
    const removed = await as(w.root).put(at, form({}, { logo: '' }))
    expect(removed.body.logo).toBeNull()
    expect((await fetchFile(logo)).status).toBe(404)
  })

  it.each([
    ['logo', 'a.txt', PNG, /not allowed to upload \\"txt\\" files/],
    ['favicon', 'a.svg', '<svg/>', /allowed types: ico, png/],
    ['logo', 'a.png', 'no picture', /is not an image/],
    ['logo', 'a.svg', 'no drawing', /is not an image/],
    ['header_logo', 'a.png', Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]), /should be at most 1 MB/],
  ])('refuse %s from %s', async (field, name, content, text) => {
    const before = (await as(w.root).get(at)).body
    const { status, body } = await as(w.root).put(at, form({ [field]: [name, content] }))
    expect([status, Object.keys(body.message)]).toEqual([400, [field]])
    expect(JSON.stringify(body)).toMatch(text)
    expect((await as(w.root).get(at)).body).toEqual(before)
  })

  it('are listed in the web app manifest', async () => {
    await as(w.root).put(at, form({ pwa_icon: ['p.png', PNG] }, { pwa_name: 'Forge', title: 'Title' }))
    const body = await fetch(`${w.url}/-/manifest.json`).then((answer) => answer.json())
    expect(body).toMatchObject({
      name: 'Forge',
      icons: [{ src: '/uploads/-/system/appearance/pwa_icon/1/p.png' }],
    })
  })
})
