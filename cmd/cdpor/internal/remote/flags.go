package remote

// DefaultServer is where cdpor serve listens unless it is told otherwise.
const DefaultServer = "127.0.0.1:4222"

// ServerFlags say how a NATS server is reached, besides its URL.
type ServerFlags struct {
	Creds   string `type:"path" predictor:"file" placeholder:"FILE" help:"Credentials file of a NATS user."`
	TLSCA   string `name:"tls-ca" type:"path" predictor:"file" placeholder:"FILE" help:"Certificates of those who may vouch for the server. Default: those that the system trusts."`
	TLSCert string `name:"tls-cert" type:"path" predictor:"file" placeholder:"FILE" help:"Certificate that says who this is; with --tls-key."`
	TLSKey  string `name:"tls-key" type:"path" predictor:"file" placeholder:"FILE" help:"Key of the certificate."`
	Inbox   string `placeholder:"PREFIX" help:"Prefix of the subjects that answers come to. Default: _INBOX. A user who may not read the answers to others has one of its own."`
}

// ConnectFlags say where others work on a search.
type ConnectFlags struct {
	Connect  string `placeholder:"URL" help:"Let the workers of a cluster explore: those of cdpor work that are connected to the NATS server at URL, such as nats://127.0.0.1:4222."`
	Job      string `placeholder:"NAME" help:"With --connect: what the search is called there. Default: a name that nothing has."`
	Replicas int    `placeholder:"N" help:"With --connect: on how many servers of a cluster everything is stored. Default: 1."`
	ServerFlags
}
