export { adoptUpload, removeFilesOf } from './service.ts'
