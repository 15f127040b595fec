import { expect } from 'vitest'

import { from, visitors } from '../access.ts'
import { section, line } from '../section.ts'

export const statements = section(
  'Application settings and appearance (administrators)',
  async (w) => ({ team: visitors(w) }),
  [
    line(
      'GET `/application/settings` | | settings object',
      'GET → 200',
      async ({ root }) => {
        expect((await root.get('/application/settings')).body).toHaveProperty('signup_enabled')
      },
      from('administrator', (client) => client.get('/application/settings')),
    ),
    line(
      'PUT `/application/settings` | any settings as parameters | settings object',
      'PUT home_page_url → 200 with the new value',
      async ({ root }) => {
        const { status, body } = await root.put('/application/settings', {
          home_page_url: 'https://example.com',
        })
        expect([status, body.home_page_url]).toEqual([200, 'https://example.com'])
      },
      from('administrator', (client) =>
        client.put('/application/settings', { home_page_url: 'https://example.com' }),
      ),
    ),
    line(
      'GET `/application/appearance` | | appearance object',
      'GET → 200',
      async ({ root }) => {
        expect((await root.get('/application/appearance')).status).toBe(200)
      },
      from('administrator', (client) => client.get('/application/appearance')),
    ),
    line(
      'PUT `/application/appearance` | optional title, short_title, description, logo (file), header_logo (file), favicon (.ico or .png), new_project_guidelines, profile_image_guidelines, header_message, footer_message, message_background_color, message_font_color, email_header_and_footer_enabled; logo upload uses multipart with `logo` required | appearance object (logo upload returns `{logo}`)',
      'PUT with each text → 200; multipart logo → its address',
      async ({ root }) => {
        const params = {
          title: 't',
          short_title: 's',
          description: 'd',
          new_project_guidelines: 'n',
          profile_image_guidelines: 'p',
          header_message: 'h',
          footer_message: 'f',
          message_background_color: '#112233',
          message_font_color: '#445566',
          email_header_and_footer_enabled: true,
        }
        expect((await root.put('/application/appearance', params)).body).toMatchObject(params)
        const form = new FormData()
        const png = Buffer.from(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          'base64',
        )
        form.set('logo', new Blob([png], { type: 'image/png' }), 'logo.png')
        expect((await root.put('/application/appearance', form)).body.logo).toContain('logo.png')
      },
      from('administrator', (client) => client.put('/application/appearance', { title: 't' })),
    ),
    line(
      'Settings are cached and may take effect after up to 60 seconds.',
      'PUT, then GET → the new value at once, which the contract allows',
      async ({ root }) => {
        await root.put('/application/settings', { after_sign_up_text: 'At once' })
        expect((await root.get('/application/settings')).body.after_sign_up_text).toBe('At once')
      },
    ),
  ],
)
