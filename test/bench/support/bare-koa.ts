// The baseline of rows 3 and 4: Koa alone, with one prepared statement and the same response as the instance.
// Arguments: the database file, the statement, a file with the response, the largest ID (the statement's parameter; 0 for none).
import Database from 'better-sqlite3'
import Koa from 'koa'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'

const [file, sql, bytesFile, largest] = process.argv.slice(2) as [string, string, string, string]
const statement = new Database(file, { readonly: true }).prepare<unknown[], unknown>(sql)
const bytes = readFileSync(bytesFile, 'utf8')
const takesId = Number(largest) > 0

const app = new Koa()
app.use((ctx) => {
  if (ctx.path === '/-/readiness') {
    ctx.body = 'ok'
    return
  }
  if (takesId) statement.get(Number(ctx.path.slice(ctx.path.lastIndexOf('/') + 1)))
  else statement.all()
  ctx.body = bytes
  ctx.set('Content-Type', 'application/json')
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
