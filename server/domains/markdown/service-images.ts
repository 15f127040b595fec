import { createHmac } from 'node:crypto'
import { deflateRawSync, deflateSync } from 'node:zlib'

import type { Ctx } from '../../ctx.ts'
import { DIAGRAM_A_LANGUAGE, OTHER_DIAGRAM_LANGUAGES } from '../../lib/aliases.ts'
import { secretSetting, type Settings, settingsOf } from '../settings/index.ts'

/** The diagram servers; null for a disabled one. */
interface DiagramServers {
  readonly diagramA: string | null
  readonly kroki: string | null
  /** Languages of the second server that need additional programs. */
  readonly extra: Readonly<Record<string, boolean>>
}

/** Longest URL that every server accepts. Larger diagrams stay text. */
const MAX_ADDRESS = 8000

/** Languages that need an additional program, by its setting. */
const EXTRA: Readonly<Record<string, readonly string[]>> = {
  blockdiag: ['blockdiag', 'seqdiag', 'actdiag', 'nwdiag', 'packetdiag', 'rackdiag'],
  bpmn: ['bpmn'],
  excalidraw: ['excalidraw'],
  mermaid: ['mermaid'],
}

/** URL of the image that a server draws for a code block; undefined if the block stays text. */
function diagramAddress(
  language: string,
  code: string,
  { diagramA, kroki, extra }: DiagramServers,
): string | undefined {
  const name = language.toLowerCase()
  const address =
    diagramA !== null && name === DIAGRAM_A_LANGUAGE
      ? `${base(diagramA)}/svg/${encodedForA(code)}`
      : kroki !== null && drawsOthers(name, extra)
        ? `${base(kroki)}/${name}/svg/${deflateSync(code, { level: 9 }).toString('base64url')}`
        : undefined
  return address !== undefined && address.length <= MAX_ADDRESS ? address : undefined
}

function drawsOthers(name: string, extra: DiagramServers['extra']): boolean {
  if (!OTHER_DIAGRAM_LANGUAGES.includes(name)) return false
  const needed = Object.keys(EXTRA).filter((entry) => EXTRA[entry]!.includes(name))
  return needed.every((entry) => extra[entry])
}

const base = (url: string): string => url.replace(/\/+$/, '')

const USUAL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const THEIRS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_'

/** Compressed code in the base64 variant of this server family, with the start and end lines that it needs. */
function encodedForA(code: string): string {
  const whole = /^\s*@start/.test(code) ? code : `@startuml\n${code.trimEnd()}\n@enduml`
  const text = deflateRawSync(whole, { level: 9 }).toString('base64').replaceAll('=', '')
  return text.replace(/./g, (letter) => THEIRS[USUAL.indexOf(letter)]!)
}

/**
 * Adds images of external servers to rendered text: code blocks become diagrams, and images of other servers go
 * through the asset proxy (spec administration 1.2). The HTML stays safe, because only escaped URLs are inserted.
 */
export function withExternalImages(ctx: Ctx, html: string): string {
  const settings = settingsOf(ctx)
  const proxy = settings.asset_proxy_enabled ? proxyOf(ctx, settings) : undefined
  const seen = proxy && html.includes('<img') ? throughProxy(html, proxy) : html
  const draws = settings.diagramA_enabled || settings.kroki_enabled
  return draws && seen.includes('<pre class="code" lang=') ? withDiagrams(seen, serversOf(settings)) : seen
}

function proxyOf(ctx: Ctx, settings: Settings): AssetProxy | undefined {
  const secret = secretSetting(ctx, 'asset_proxy_secret_key')
  const url = settings.asset_proxy_url
  if (!url || !secret) return undefined
  return { url, secret, allowed: settings.asset_proxy_allowlist, own: ctx.config.url }
}

function serversOf(settings: Settings): DiagramServers {
  return {
    diagramA: settings.diagramA_enabled ? settings.diagramA_url : null,
    kroki: settings.kroki_enabled ? settings.kroki_url : null,
    extra: settings.kroki_formats,
  }
}

/** Sanitized HTML has escaped attributes in double quotes. */
function throughProxy(html: string, proxy: AssetProxy): string {
  return html.replace(/(<img\b[^>]*? src=")([^"]*)"/g, (_, before: string, address: string) => {
    return `${before}${escape(proxied(unescape(address), proxy))}"`
  })
}

const BLOCK = /<pre class="code" lang="([^"]*)"><code[^>]*>([\s\S]*?)<\/code><\/pre>/g

function withDiagrams(html: string, servers: DiagramServers): string {
  return html.replace(BLOCK, (block: string, language: string, code: string) => {
    const address = diagramAddress(language, unescape(code), servers)
    return address ? `<p><img src="${escape(address)}" alt="Diagram"></p>` : block
  })
}

const LETTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function unescape(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => LETTERS[name]!)
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Origins of the external servers in the settings, which pages may load images from. */
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
  /** Hosts that need no proxy; `*.` stands for any subdomain. */
  readonly allowed: readonly string[]
  /** URL of the instance. */
  readonly own: string
}

/** The signed proxy URL of an image. Unchanged for images that need no proxy. */
function proxied(address: string, { url, secret, allowed, own }: AssetProxy): string {
  // Relative URLs stay unchanged.
  if (!/^(?:https?:)?\/\//i.test(address)) return address
  const whole = address.startsWith('//') ? `https:${address}` : address
  if (!URL.canParse(whole)) return ''
  const { hostname } = new URL(whole)
  const isFree = [new URL(own).hostname, new URL(url).hostname, ...allowed].some((host) =>
    covers(host, hostname),
  )
  if (isFree) return address
  const digest = createHmac('sha1', secret).update(whole).digest('hex')
  return `${url.replace(/\/+$/, '')}/${digest}/${Buffer.from(whole).toString('hex')}`
}

function covers(pattern: string, host: string): boolean {
  const name = pattern.toLowerCase()
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}
