import type { Ctx } from '../../../ctx.ts'
import { sendFile } from '../../../http/answer/send-file.ts'
import { webCredentials, type WebExchange, webRoute } from '../../../http/web-route.ts'
import { notFound } from '../../../lib/fail.ts'
import { canRead } from '../../../policy/ability.ts'
import { anonymous } from '../../../policy/actor.ts'
import { authenticate } from '../../auth/index.ts'
import { group } from '../../groups/index.ts'
import { project, type Project, projectById } from '../../projects/index.ts'
import { avatarFile, type AvatarKind } from '../../storage/index.ts'
import { GENERATED_AVATAR, generatedAvatar, userById } from '../../users/index.ts'
import { pathOf } from './service.ts'
import * as store from './store.ts'

/** Serves an uploaded file, below the path of its project, as in texts, or below the ID of its project. */
export const attachedFile = webRoute({
  name: 'attachments.file',
  methods: ['GET', 'HEAD'],
  pattern: /^\/((?:-\/project\/\d+)|(?:(?!\/-\/|\/uploads\/).)+)\/uploads\/([0-9a-f]{32})\/([^/]+)$/s,
  handle: async (exchange) => {
    const ctx = callerContext(exchange)
    const owner = projectAt(ctx, decoded(exchange.match[1]!))
    const uploadId = { secret: exchange.match[2]!, file_name: decoded(exchange.match[3]!) }
    const upload = owner && store.bySecret(ctx.db, owner.id, uploadId)
    if (!owner || !upload) throw notFound('File')
    // Without the check, the URL alone gives access (spec core 1.1).
    const isPublic = owner.visibility === 'public' || !owner.enforce_auth_checks_on_uploads
    if (!isPublic && !canRead(ctx, project, owner)) throw notFound('File')
    await sendFile(exchange, { path: pathOf(ctx.config, upload), name: upload.file_name, isPublic })
  },
})

/** Serves the uploaded avatars of users, groups, projects and topics. */
export const avatarPicture = webRoute({
  name: 'attachments.avatar',
  methods: ['GET', 'HEAD'],
  pattern: /^\/uploads\/-\/system\/(user|group|project|topic)\/avatar\/(\d{1,15})\/([^/]+)$/,
  handle: async (exchange) => {
    const kind = exchange.match[1] as AvatarKind
    const id = Number(exchange.match[2])
    const name = decoded(exchange.match[3]!)
    const { avatar, open } = pictureOf(callerContext(exchange), kind, id)
    if (avatar === null || avatar !== name) throw notFound('File')
    await sendFile(exchange, { path: avatarFile(exchange.ctx.config, kind, id, name), name, isPublic: open })
  },
})

const YEAR = 365 * 24 * 3600

/** Serves the generated avatars of users without an uploaded avatar. */
export const drawnPicture = webRoute({
  name: 'attachments.drawn_avatar',
  methods: ['GET', 'HEAD'],
  pattern: GENERATED_AVATAR,
  handle: ({ req, res, match }) => {
    const picture = generatedAvatar(match[1]!, match[2]!)
    if (picture === undefined) throw notFound('File')
    res.writeHead(200, {
      'Content-Type': 'image/svg+xml; charset=utf-8',
      'Content-Length': Buffer.byteLength(picture),
      'Cache-Control': `public, max-age=${YEAR}, immutable`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
    })
    res.end(req.method === 'HEAD' ? undefined : picture)
    return Promise.resolve()
  },
})

const NO_AVATAR = { avatar: null, open: false }

/** Returns the file name of an avatar if the caller may see its owner, and whether it is public. */
function pictureOf(ctx: Ctx, kind: AvatarKind, id: number): { avatar: string | null; open: boolean } {
  if (kind === 'user') return { avatar: userById(ctx.db, id)?.avatar ?? null, open: true }
  if (kind === 'topic') return { avatar: store.topicAvatar(ctx.db, id), open: true }
  if (kind === 'project') {
    const row = project.load(ctx, String(id))
    const isReadable = row && canRead(ctx, project, row)
    return isReadable ? { avatar: row.avatar, open: row.visibility === 'public' } : NO_AVATAR
  }
  const row = group.load(ctx, String(id))
  const isReadable = row && canRead(ctx, group, row)
  return isReadable ? { avatar: row.avatar, open: row.visibility === 'public' } : NO_AVATAR
}

function projectAt(ctx: Ctx, address: string): Project | undefined {
  const id = /^-\/project\/(\d{1,15})$/.exec(address)?.[1]
  if (id) return projectById(ctx.db, Number(id))
  return /^\d+$/.test(address) ? undefined : project.load(ctx, address)
}

/** Returns the context of the caller. A token without a read scope counts as no token (spec core 7.4). */
function callerContext(exchange: WebExchange): Ctx {
  const actor = authenticate(exchange.ctx, webCredentials(exchange))
  const mayRead = actor.scopes === null || actor.scopes.has('api') || actor.scopes.has('read_api')
  return { ...exchange.ctx, actor: mayRead ? actor : anonymous }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).normalize('NFC')
  } catch {
    throw notFound('File')
  }
}
