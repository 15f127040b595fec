export { mailFrame, type MailFrame } from './mail-frame.ts'
