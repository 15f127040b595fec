import { hasFields, section, line } from '../section.ts'

export const statements = section('Appearance', async () => ({}), [
  line(
    'Fields: title, short_title, description, logo, header_logo, favicon, new_project_guidelines, profile_image_guidelines, header_message, footer_message, message_background_color, message_font_color (strings; colors as hex), email_header_and_footer_enabled (boolean). Image fields return server-relative paths.',
    'GET /application/appearance → these fields',
    async ({ root }) => {
      const names = [
        'title',
        'short_title',
        'description',
        'logo',
        'header_logo',
        'favicon',
        'new_project_guidelines',
        'profile_image_guidelines',
        'header_message',
        'footer_message',
        'message_background_color',
        'message_font_color',
      ]
      const texts = Object.fromEntries(names.map((name) => [name, 'string?' as const]))
      hasFields((await root.get('/application/appearance')).body, {
        ...texts,
        email_header_and_footer_enabled: 'boolean',
      })
    },
  ),
])
