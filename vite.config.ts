import vue from '@vitejs/plugin-vue'
import { readdirSync } from 'node:fs'
import http from 'node:http'
import { builtinModules, createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type InlineConfig, type Plugin, type ProxyOptions } from 'vite'

import { withWidths } from './renderer/styles/widths.ts'
import { serverChunks } from './scripts/lib/server-chunks.ts'
import { startScript } from './scripts/lib/start-script.ts'

// The default export is the renderer, so that `vite` alone serves it in development. The build script
// takes the other targets from here by name: one file says how every bundle is made.

const root = fileURLToPath(new URL('.', import.meta.url))
const serverUrl = process.env['DESKFORGE_DEV_SERVER'] ?? 'http://127.0.0.1:7080'

/** What may never be bundled: the runtime itself, and the package whose native binary must stay a file. */
export const external = [
  'electron',
  'better-sqlite3',
  ...builtinModules,
  ...builtinModules.map((name) => `node:${name}`),
]

const proxied: ProxyOptions = {
  target: serverUrl,
  changeOrigin: true,
  // The server accepts writes from its own origin only; in development the page has Vite's.
  configure: (proxy) => {
    proxy.on('proxyReq', (request) => {
      if (request.hasHeader('origin')) request.setHeader('origin', serverUrl)
    })
  },
}

/** Pages such as /-/profile belong to the renderer although they share the prefix with server endpoints. */
const unlessPage: ProxyOptions = {
  ...proxied,
  bypass: (request) => {
    const isPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
    return isPage && !request.url?.startsWith('/-/docs') ? '/index.html' : undefined
  },
}

/** Styles name the widths at which views change. */
const namedWidths = {
  postcssPlugin: 'named-widths',
  AtRule: {
    media(rule: { params: string }): void {
      const query = withWidths(rule.params)
      if (query !== rule.params) rule.params = query
    },
  },
}

export function rendererConfig(outDir = join(root, 'dist/renderer')): InlineConfig {
  return {
    configFile: false,
    root: join(root, 'renderer'),
    plugins: [vue()],
    css: { postcss: { plugins: [namedWidths] } },
    // The content security policy allows no data: scripts or fonts, so nothing is inlined.
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 900,
      rolldownOptions: {
        output: {
          // What many views share comes in two files. One for each icon and button were forty requests before the first
          // paint, and six connections serve them in turn.
          codeSplitting: {
            groups: [
              {
                name: 'framework',
                test: /node_modules\/(@?vue|pinia|@pinia|vue-router|reka-ui|@floating-ui)/,
                minShareCount: 4,
              },
              {
                name: 'shared',
                test: /renderer\/(components\/(base|form|feedback)|composables|api|stores)\/|node_modules\/(lucide|@lucide)/,
                minShareCount: 4,
              },
            ],
          },
        },
      },
    },
    server: {
      host: '127.0.0.1',
      port: 7081,
      proxy: {
        // Not all of /api/: the renderer's own modules live there.
        '^/api/v4/': proxied,
        '^/-/': unlessPage,
        '^/oauth/': unlessPage,
        '^/uploads/': proxied,
        '^/.+/-/(raw|archive|uploads)/': proxied,
        '^/.+/-/releases/(permalink/|[^/]+/(downloads|evidences)/)': proxied,
        '^/.+\\.git/': proxied,
      },
    },
  }
}

/** Worker threads live in files named `*.worker.ts`; each becomes `<name>.worker.js` beside its bundle. */
function workerEntries(): Record<string, string> {
  const found = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
  const workers = found.filter((file) => file.endsWith('.worker.ts'))
  return Object.fromEntries(workers.map((file) => [basename(file, '.ts'), join(root, 'server', file)]))
}

/** ssh2 asks for native parts in a `try` and does without them. There are none in a bundle, so they are not looked for. */
const withoutNativeParts: Plugin = {
  name: 'without-native-parts',
  enforce: 'pre',
  resolveId: (id) => (id === 'cpu-features' || id.endsWith('/sshcrypto.node') ? '\0absent' : null),
  load: (id) =>
    id === '\0absent' ? "module.exports = (() => { throw new Error('Not in a bundle.') })()" : null,
}

/**
 * Writes what is beyond ASCII as escapes. V8 keeps the whole source of a file in memory, and one such character makes it
 * two bytes for each of four million. Raw templates are the one place where an escape means something else; none has one.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue
      file.code = file.code.replace(
        /[^\0-\x7f]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

/**
 * An import of `node:http` reads all its exports at once, and one of them loads Node's own HTTP client (40 ms and 9 MB). Taken
 * as an object nothing is read that nobody asks for.
 */
const httpAsObject: Plugin = {
  name: 'http-as-object',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^(node:)?http$/ },
    handler: (_id, _importer, { kind }) => (kind === 'import-statement' ? '\0http-as-object' : null),
  },
  load: (id) => {
    if (id !== '\0http-as-object') return null
    const kept = Object.entries(Object.getOwnPropertyDescriptors(http)).filter(
      ([, { get }]) => get === undefined,
    )
    const names = kept.map(([name]) => name)
    return `const http = process.getBuiltinModule('node:http')
export default http
export const { ${names.join(', ')} } = http`
  },
}

const koaRequire = createRequire(createRequire(join(root, 'package.json')).resolve('koa'))

/** Packages of koa ask for two versions of this table of media types; each copy takes a few percent of the start. */
function mediaTypes(): Record<string, string> {
  return { 'mime-types': dirname(koaRequire.resolve('mime-types')) }
}

/**
 * `mime-types` computes its two tables from a database of 2,500 types while it loads. The bundle contains the tables, and of the
 * database only the character sets. This saves 15 ms of each start.
 */
const computedMediaTypes: Plugin = {
  name: 'computed-media-types',
  transform: {
    filter: { id: /mime-types\/index\.js$/ },
    handler(code) {
      const { extensions, types } = koaRequire('mime-types') as Record<'extensions' | 'types', object>
      const database = createRequire(koaRequire.resolve('mime-types'))('mime-db') as Record<
        string,
        { charset?: string }
      >
      const charsets = Object.entries(database).flatMap(([type, { charset }]) =>
        charset === undefined ? [] : [[type, { charset }]],
      )
      const parsed = (value: object) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
      const replacements = [
        ["require('mime-db')", parsed(Object.fromEntries(charsets))],
        [
          'populateMaps(exports.extensions, exports.types)',
          `Object.assign(exports.extensions, ${parsed(extensions)}); Object.assign(exports.types, ${parsed(types)})`,
        ],
      ] as const
      return replacements.reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`mime-types has no "${from}" any more.`)
        return text.replace(from, () => to)
      }, code)
    },
  },
}

/**
 * Two packages ask who calls them while they load: `depd` for warnings of packages of koa that use outdated functions, and pino for
 * transports, which we do not use. To answer, V8 looks for the line ends in the whole bundle, which takes 10 ms. Neither asks in
 * the bundle.
 */
const withoutCallers: Plugin = {
  name: 'without-callers',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id === 'depd') return '\0depd'
    return id === './caller' && importer?.includes('/pino/') ? '\0pino-caller' : null
  },
  load(id) {
    if (id === '\0pino-caller') return 'module.exports = () => []'
    return id === '\0depd'
      ? 'module.exports = () => Object.assign(() => {}, { function: (named) => named, property: () => {} })'
      : null
  },
}

function nodeConfig(entries: Record<string, string>, outDir: string, format: 'es' | 'cjs'): InlineConfig {
  const chunks = serverChunks(root)
  return {
    configFile: false,
    root,
    publicDir: false,
    resolve: { alias: mediaTypes() },
    plugins: [withoutNativeParts, httpAsObject, computedMediaTypes, withoutCallers, asciiOnly, chunks.plugin],
    ssr: { noExternal: true, external: ['electron', 'better-sqlite3'], target: 'node' },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      sourcemap: true,
      reportCompressedSize: false,
      // Vite 8 reads only this name; the older `rollupOptions` is ignored without a word.
      rolldownOptions: {
        input: entries,
        // What a plugin resolves may not be named here; it is left to the module loader either way.
        external: external.filter((name) => !/^(node:)?http$/.test(name)),
        // A package of the HTTP stack uses direct eval; in our own code the linter forbids it.
        checks: { eval: false },
        output: {
          format,
          // Comments and blanks go, for V8 keeps the whole source in memory; names stay readable in stack traces.
          minify: { mangle: false, compress: false, codegen: true },
          // Packages of the older module format ask where they lie; ssh2 does so while it loads.
          ...(format === 'es' ? { banner: 'const __dirname = import.meta.dirname;' } : {}),
          // Flat, so that `new URL('./x.worker.js', import.meta.url)` holds from every chunk.
          entryFileNames: format === 'cjs' ? '[name].cjs' : '[name].js',
          chunkFileNames: '[name]-[hash].js',
          minifyInternalExports: false,
          ...(format === 'es'
            ? {
                codeSplitting: {
                  includeDependenciesRecursively: false,
                  groups: [{ name: (id: string) => chunks.nameOf(id) ?? null }],
                },
              }
            : {}),
        },
      },
    },
  }
}

export function serverConfig(outDir = join(root, 'dist/server')): InlineConfig {
  const entries = { cli: join(root, 'server/cli.ts'), 'run-script': join(root, 'server/run-script.ts') }
  const config = nodeConfig(entries, outDir, 'es')
  const plugins = [...config.plugins!, startScript({ chunk: 'start', runner: './run-script.js' })]
  return { ...config, plugins }
}

export function electronConfig(outDir = join(root, 'dist/electron')): InlineConfig {
  return nodeConfig({ main: join(root, 'electron/main.ts') }, outDir, 'es')
}

/** The worker threads of the server or the application, which share no files with it: each start loads fewer files. */
export function workersConfig(outDir: string): InlineConfig {
  const config = nodeConfig(workerEntries(), outDir, 'es')
  return { ...config, build: { ...config.build, emptyOutDir: false } }
}

/** A sandboxed preload script must be one CommonJS file. */
export function preloadConfig(outDir = join(root, 'dist/electron')): InlineConfig {
  const config = nodeConfig({ preload: join(root, 'electron/preload.ts') }, outDir, 'cjs')
  return { ...config, build: { ...config.build, emptyOutDir: false } }
}

export default defineConfig(rendererConfig())
