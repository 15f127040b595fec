import type { Ctx } from '../../../ctx.ts'
import { secretSetting, settingsOf, type Settings } from '../../settings/index.ts'
import { proxied, type AssetProxy } from './asset-proxy.ts'
import { diagramAddress, type DiagramServers } from './diagrams.ts'

/**
 * Rendered text with the pictures of other servers that the settings name: code blocks become the diagrams that a server
 * draws of them, and pictures of other hosts come through a proxy (spec administration 1.2). Safe HTML stays safe: only
 * addresses that are made here, or escaped already, are put in.
 */
export function withOutside(ctx: Ctx, html: string): string {
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

/** Texts are sanitised: attributes stand in double quotes, and are escaped. */
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

/** Origins of other servers that pages may show pictures of, by the settings. */
export function pictureOrigins(settings: Settings): string[] {
  const urls = [
    settings.asset_proxy_enabled ? settings.asset_proxy_url : null,
    settings.diagramA_enabled ? settings.diagramA_url : null,
    settings.kroki_enabled ? settings.kroki_url : null,
  ]
  return urls.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).origin] : []))
}
