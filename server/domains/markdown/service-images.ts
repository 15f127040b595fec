import { createHmac } from 'node:crypto'
import { deflateRawSync, deflateSync } from 'node:zlib'

import type { Ctx } from '../../ctx.ts'
import { DIAGRAM_A_LANGUAGE, OTHER_DIAGRAM_LANGUAGES } from '../../lib/aliases.ts'
import { secretSetting, type Settings, settingsOf } from '../settings/index.ts'

/** The URLs of the diagram servers; null if disabled. */
interface DiagramServers {
  readonly diagramA: string | null
  readonly kroki: string | null
  /** Whether Kroki has the additional programs that some languages need, by setting. */
  readonly extra: Readonly<Record<string, boolean>>
}

/** The maximum length of a URL that every server accepts. Larger diagrams stay text. */
const MAX_URL = 8000

/** The languages that need an additional program, by its setting. */
const EXTRA_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  blockdiag: ['blockdiag', 'seqdiag', 'actdiag', 'nwdiag', 'packetdiag', 'rackdiag'],
  bpmn: ['bpmn'],
  excalidraw: ['excalidraw'],
  mermaid: ['mermaid'],
}

/** Returns the URL of the image that a server draws for a code block. Undefined if the block stays text. */
function diagramUrl(
  language: string,
  code: string,
  { diagramA, kroki, extra }: DiagramServers,
): string | undefined {
  const name = language.toLowerCase()
  const url =
    diagramA !== null && name === DIAGRAM_A_LANGUAGE
      ? `${withoutSlash(diagramA)}/svg/${encodeForA(code)}`
      : kroki !== null && drawsWithKroki(name, extra)
        ? `${withoutSlash(kroki)}/${name}/svg/${deflateSync(code, { level: 9 }).toString('base64url')}`
        : undefined
  return url !== undefined && url.length <= MAX_URL ? url : undefined
}

function drawsWithKroki(name: string, extra: DiagramServers['extra']): boolean {
  if (!OTHER_DIAGRAM_LANGUAGES.includes(name)) return false
  const requiredSettings = Object.keys(EXTRA_PROGRAMS).filter((setting) =>
    EXTRA_PROGRAMS[setting]!.includes(name),
  )
  return requiredSettings.every((setting) => extra[setting])
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const BASE64_OF_A = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_'

/** Compresses code and encodes it in the base64 variant of the server. Adds the start and end lines if missing. */
function encodeForA(code: string): string {
  const diagram = /^\s*@start/.test(code) ? code : `@startuml\n${code.trimEnd()}\n@enduml`
  const text = deflateRawSync(diagram, { level: 9 }).toString('base64').replaceAll('=', '')
  return text.replace(/./g, (letter) => BASE64_OF_A[BASE64.indexOf(letter)]!)
}

/**
 * Adds images of external servers to rendered text: code blocks become diagrams, and images of other servers go
 * through the asset proxy (spec administration 1.2). The HTML stays safe, because only escaped URLs are inserted.
 */
export function withExternalImages(ctx: Ctx, html: string): string {
  const settings = settingsOf(ctx)
  const proxy = settings.asset_proxy_enabled ? proxyOf(ctx, settings) : undefined
  const proxied = proxy && html.includes('<img') ? throughProxy(html, proxy) : html
  const hasServers = settings.diagramA_enabled || settings.kroki_enabled
  return hasServers && proxied.includes('<pre class="code" lang=')
    ? withDiagrams(proxied, serversOf(settings))
    : proxied
}

function proxyOf(ctx: Ctx, settings: Settings): AssetProxy | undefined {
  const secret = secretSetting(ctx, 'asset_proxy_secret_key')
  const url = settings.asset_proxy_url
  if (!url || !secret) return undefined
  return { url, secret, allowed: settings.asset_proxy_allowlist, instanceUrl: ctx.config.url }
}

function serversOf(settings: Settings): DiagramServers {
  return {
    diagramA: settings.diagramA_enabled ? settings.diagramA_url : null,
    kroki: settings.kroki_enabled ? settings.kroki_url : null,
    extra: settings.kroki_formats,
  }
}

/** Replaces the URLs of images. The HTML is sanitized, so its attributes are escaped and in double quotes. */
function throughProxy(html: string, proxy: AssetProxy): string {
  return html.replace(/(<img\b[^>]*? src=")([^"]*)"/g, (_, before: string, url: string) => {
    return `${before}${escape(proxyUrl(unescape(url), proxy))}"`
  })
}

const BLOCK = /<pre class="code" lang="([^"]*)"><code[^>]*>([\s\S]*?)<\/code><\/pre>/g

function withDiagrams(html: string, servers: DiagramServers): string {
  return html.replace(BLOCK, (block: string, language: string, code: string) => {
    const url = diagramUrl(language, unescape(code), servers)
    return url ? `<p><img src="${escape(url)}" alt="Diagram"></p>` : block
  })
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function unescape(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name]!)
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Returns the origins of the external servers that pages may load images from. */
export function pictureOrigins(settings: Settings): string[] {
  const urls = [
    settings.asset_proxy_enabled ? settings.asset_proxy_url : null,
    settings.diagramA_enabled ? settings.diagramA_url : null,
    settings.kroki_enabled ? settings.kroki_url : null,
  ]
  return urls.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : []))
}

/** A proxy for images of other servers, which hides readers from them. */
interface AssetProxy {
  readonly url: string
  readonly secret: string
  /** Hosts that need no proxy. `*.` matches any subdomain. */
  readonly allowed: readonly string[]
  readonly instanceUrl: string
}

/** Returns the signed proxy URL of an image. Returns `imageUrl` if the image needs no proxy. */
function proxyUrl(imageUrl: string, { url, secret, allowed, instanceUrl }: AssetProxy): string {
  // Relative URLs stay unchanged.
  if (!/^(?:https?:)?\/\//i.test(imageUrl)) return imageUrl
  const absoluteUrl = imageUrl.startsWith('//') ? `https:${imageUrl}` : imageUrl
  if (!URL.canParse(absoluteUrl)) return ''
  const { hostname } = new URL(absoluteUrl)
  const isAllowed = [new URL(instanceUrl).hostname, new URL(url).hostname, ...allowed].some((host) =>
    covers(host, hostname),
  )
  if (isAllowed) return imageUrl
  const digest = createHmac('sha1', secret).update(absoluteUrl).digest('hex')
  return `${withoutSlash(url)}/${digest}/${Buffer.from(absoluteUrl).toString('hex')}`
}

function covers(pattern: string, host: string): boolean {
  const name = pattern.toLowerCase()
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}
