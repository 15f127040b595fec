import { sendFile } from '../../http/answer/send-file.ts'
import { webRoute } from '../../http/web-route.ts'
import { notFound } from '../../lib/fail.ts'
import { appearanceOf, IMAGES, imageFile, type ImageName } from './service.ts'

/** Serves the images of the appearance to everyone, because the sign-in page shows them. */
export const imageRoute = webRoute({
  name: 'appearance.picture',
  methods: ['GET', 'HEAD'],
  pattern: new RegExp(`^/uploads/-/system/appearance/(${IMAGES.join('|')})/1/([^/]+)$`),
  handle: async (exchange) => {
    const kind = exchange.match[1] as ImageName
    const name = appearanceOf(exchange.ctx)[kind]
    if (name === null || encodeURIComponent(name) !== exchange.match[2]) throw notFound('File')
    await sendFile(exchange, { path: imageFile(exchange.ctx.config, kind, name), name, isPublic: true })
  },
})

/** Serves the favicon of the instance at the path that browsers request by default. */
export const faviconRoute = webRoute({
  name: 'appearance.icon',
  methods: ['GET', 'HEAD'],
  pattern: /^\/favicon\.(?:ico|png)$/,
  handle: async (exchange) => {
    const name = appearanceOf(exchange.ctx).favicon
    if (name === null) throw notFound('File')
    await sendFile(exchange, { path: imageFile(exchange.ctx.config, 'favicon', name), name, isPublic: true })
  },
})
